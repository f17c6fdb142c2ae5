export { drainWork, trackWork } from "../background-work.ts";
export { getUserMemory, type LinkedUserMemory } from "../linked-memory.ts";
export { type MemoryLinkOptions, middlewareFor } from "./middleware.ts";
export { type AdaptedUserMemory, asUserMemory, setUserMemory } from "./user-memory.ts";
