import { createSuccess, type VersionedMemoryProvider } from "../../../src/index.ts";
import { brokenBackend } from "./backend.ts";
import { type BrokenProvider, broken, openIntact } from "./broken.ts";
import type { BrokenStore } from "./crashes.ts";

const HOUR_MS = 3_600_000;

/** Returns another time with each reading. */
const telling = (
  caughtBy: string,
  tell: (readAt: Date, lastActivity: Date | undefined) => unknown,
): BrokenProvider =>
  broken(caughtBy, (intact) => ({
    readConversation: async (...given) => {
      const read = await intact.readConversation(...given);
      if (!read.success) return read;
      const { conversation, readAt } = read.data;
      return createSuccess({
        ...read.data,
        readAt: tell(readAt, conversation?.metadata?.lastActivity) as Date,
      });
    },
  }));

const backwards = () => {
  let count = 0;
  return (readAt: Date) => new Date(readAt.getTime() - (count++ % 3) * 300);
};
const startedAt = new Date();

/** Providers that return a wrong time of a reading. */
export const brokenClocks: Readonly<Record<string, BrokenProvider>> = {
  "returns the time of a wrong clock": telling(
    "the time of a reading: is close to that of a recent write, for any selection",
    (readAt) => new Date(readAt.getTime() + HOUR_MS),
  ),

  "returns the time in seconds": telling(
    "the time of a reading: is close to that of a recent write, for any selection",
    (readAt) => new Date(readAt.getTime() / 1_000),
  ),

  "returns the time as text": telling(
    "the time of a reading: is close to that of a recent write, for any selection",
    (readAt) => readAt.toISOString(),
  ),

  "returns no time for a missing conversation": brokenBackend(
    "the time of a reading: is returned for a missing conversation",
    (intact) => ({
      read: async (request) => {
        const { readAt, ...read } = await intact.read(request);
        return read.conversation === null || readAt === undefined ? read : { ...read, readAt };
      },
    }),
  ),

  "returns the last activity as the time": telling(
    "the time of a reading: advances between readings, even without writes",
    (readAt, lastActivity) => lastActivity ?? readAt,
  ),

  "asks for the time once": telling(
    "the time of a reading: advances between readings, even without writes",
    () => startedAt,
  ),

  "asks servers with different clocks": telling("the time of a reading: never goes back", backwards()),
};

const aheadBy = (provider: VersionedMemoryProvider, aheadMs: number): VersionedMemoryProvider => ({
  ...provider,
  readConversation: async (...given) => {
    const read = await provider.readConversation(...given);
    if (!read.success) return read;
    return createSuccess({ ...read.data, readAt: new Date(read.data.readAt.getTime() + aheadMs) });
  },
});

/** Stores with providers that return a wrong time relative to each other. */
export const brokenSharedClocks: Readonly<Record<string, BrokenStore>> = {
  "returns the time of its own process": {
    caughtBy: "several connections: return the same time, which is the store's",
    createStore: async () => {
      const provider = openIntact();
      return { provider, connect: async () => aheadBy(provider, HOUR_MS), dispose: async () => {} };
    },
  },
};
