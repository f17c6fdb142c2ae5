// Creates the tables. Run it before the first deployment and after each update of @jaf/memory-postgres.
import { migrate } from "@jaf/memory-postgres";
import pg from "pg";

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await migrate(client);
await client.end();
console.log("The tables are up to date.");
