/** Bundles can't resolve packages at run time. */
export const importPackage: ((name: string) => Promise<unknown>) | undefined = undefined;
