export { createMemoryHandler, type MemoryHandler, type MemoryHandlerOptions } from "./http/handler.ts";
export { createMemoryServer, type MemoryServerOptions } from "./server.ts";
export { openStores, type Stores } from "./stores.ts";
