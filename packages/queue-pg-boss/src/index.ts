export type { PgBossClient, PgPool, PgPoolClient } from "./clients.ts";
export type { PgBossQueueOptions } from "./options.ts";
export { createPgBossQueue } from "./queue.ts";
