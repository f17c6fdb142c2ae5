export { drainWork, trackWork } from "../background-work.ts";
export { getUserMemory } from "../global-user-memory.ts";
export type { LinkedUserMemory } from "../user-memory-guards.ts";
export { type AdaptedUserMemory, asUserMemory, setUserMemory } from "./as-user-memory.ts";
export { type MemoryLinkOptions, middlewareFor } from "./middleware.ts";
