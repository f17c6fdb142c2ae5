/** `undefined`, because a bundle can't find packages at run time. */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = undefined;
