/**
 * `undefined` in bundles, because a bundle can't find packages at run time. In Node, `importPackage` is a function that
 * imports a package by its name.
 */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = undefined;
