import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { RedisPort } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";
import { createCalls, type StoreOptions } from "../open-store.ts";
import { createAuditReader } from "./audit.ts";
import type { UserMemoryIo } from "./io.ts";
import { createJobs } from "./jobs.ts";
import { createUserKeys } from "./keys.ts";
import { createNearest } from "./nearest.ts";
import { createMatching, createReads } from "./reads.ts";
import { scripts } from "./scripts/index.ts";
import { createWrites } from "./writes.ts";

/** The storage port of user memory on Redis: one script a step, on keys of one slot. */
export function createUserMemoryBackend(options: StoreOptions): UserMemoryBackend {
  const { port, close } = closable(options.port, options.close);
  const keys = createUserKeys(options.keyPrefix);
  const io: UserMemoryIo = { port, keys, ...createCalls({ ...options, port }, scripts) };
  const jobs = createJobs(io);

  return {
    name: "redis",
    ...createReads(io),
    ...createWrites(io, jobs.forget),
    match: createMatching(io),
    nearest: createNearest(io),
    audit: createAuditReader(io),
    jobs: jobs.backend,
    close,
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  };
}

/** The store was used after it was closed. */
class UserMemoryClosed extends Error {
  override readonly name = "UserMemoryClosed";
}

/** The same port until `close` is called: a client that was handed in goes on, and the store doesn't. */
function closable(port: RedisPort, close: () => Promise<void>) {
  let closed = false;
  const refuse = (): Promise<never> => Promise.reject(new UserMemoryClosed("the store was closed"));
  return {
    port: {
      ...port,
      send: (args, key) => (closed ? refuse() : port.send(args, key)),
      sendInTurn: (commands, key) => (closed ? refuse() : port.sendInTurn(commands, key)),
      sendAsOne: (commands, key) => (closed ? refuse() : port.sendAsOne(commands, key)),
    } satisfies RedisPort,
    close: async (): Promise<void> => {
      closed = true;
      await close();
    },
  };
}
