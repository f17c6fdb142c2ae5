/**
 * What a rule guards. `contract`: each method and option by itself. `isolation`: users, conversations and stores see
 * nothing of each other, and no state is shared. `limits`: hostile ids, huge values and wrong types. `ttl`:
 * conversations expire. `concurrency`: many writers and several connections at once. `crash`: what was acknowledged
 * outlives the process.
 */
export const levels = ["contract", "isolation", "limits", "ttl", "concurrency", "crash"] as const;

export type Level = (typeof levels)[number];
