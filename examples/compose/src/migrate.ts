/** Creates the tables or brings them up to date, once, before the new version of the application starts. */
import { migrate } from "@jaf/memory-postgres";
import { migrate as migrateUserMemory } from "@jaf/memory-postgres/user-memory";
import { Client } from "pg";

const client = new Client(); // PGHOST, PGUSER, PGPASSWORD, PGDATABASE
await client.connect();
await migrate(client);
await migrateUserMemory(client);
await client.end();
console.log("The tables are up to date.");
