import type { VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import type { StoreCalls, TurnLoad } from "./messages.ts";

export type StorePlace = Pick<TurnLoad, "backend" | "url" | "namespace">;

/** With its own connection. */
export const openStore = ({ backend, url, namespace }: StorePlace): Promise<VersionedMemoryProvider> =>
  backend === "redis"
    ? createRedisProvider({ url, keyPrefix: `${namespace}:` })
    : createPostgresProvider({ connectionString: url, schema: namespace });

/** Redis data needs no cleanup: it is deleted with the server. */
export async function dropStore({ backend, url, namespace }: StorePlace): Promise<void> {
  if (backend === "redis") return;
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET client_min_messages = warning");
  await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(namespace)} CASCADE`);
  await client.end();
}

export function countCalls(provider: VersionedMemoryProvider) {
  let [reads, headReads, writes] = [0, 0, 0];
  const counted: VersionedMemoryProvider = {
    ...provider,
    readConversation: (id, options) => {
      if (options?.messages === "none") headReads += 1;
      else reads += 1;
      return provider.readConversation(id, options);
    },
    appendMessages: (...call) => {
      writes += 1;
      return provider.appendMessages(...call);
    },
  };
  return { provider: counted, calls: (): StoreCalls => ({ reads, headReads, writes }) };
}
