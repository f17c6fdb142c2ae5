import type { Packages } from "./packages.ts";

/** A bundle holds what was bundled: nothing is found by its name as it runs. */
export const packages: Packages | undefined = undefined;
