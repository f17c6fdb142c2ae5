import type { StoreSpec } from "../store/spec.ts";

/** The twenty attacks on a user memory, in their order. */
export const attackSpecs: readonly StoreSpec[] = [];
