export { type MemoryLinkOptions, middlewareFor } from "./middleware.ts";
export { getUserMemory, type LinkedUserMemory } from "./slot.ts";
export { type AdaptedUserMemory, asUserMemory, setUserMemory } from "./user-memory.ts";
export { drainWork, trackWork } from "./work.ts";
