import { randomUUID } from "node:crypto";
import pg from "pg";

/** Creates an empty database on the server and returns its address, for an application that uses the default schema. */
export async function createDatabase(server: string): Promise<URL> {
  const name = `example_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = name;
  return url;
}
