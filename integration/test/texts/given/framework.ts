/** What texts call `functional-agent-framework`. */
export * from "@jaf/core";
export * from "@jaf/memory";
export { createPostgresProvider } from "@jaf/memory-postgres";
export { createRedisProvider } from "@jaf/memory-redis";
export { runServer } from "@jaf/server";
