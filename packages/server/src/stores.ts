import type { RunUserMemory } from "@jaf/core";
import type { MemoryProvider, TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { isVersionedProvider } from "@jaf/memory/internal";
import type { UserMemoryStore } from "@jaf/user-memory";

/**
 * Returns the given memory provider. Throws a `TypeError` if it is `undefined` or lacks the method `readConversation`.
 */
export function versionedProvider(provider: MemoryProvider | undefined): VersionedMemoryProvider {
  if (provider === undefined)
    throw new TypeError(
      "Invalid server options: defaultMemoryProvider: expected a memory provider. Set this option or memory.provider of the run configuration.",
    );
  if (!isVersionedProvider(provider))
    throw new TypeError(
      "Invalid server options: defaultMemoryProvider: expected a provider with readConversation(), such as one from JAF.",
    );
  return provider;
}

/** Creates a turn log in memory, and warns that turns are lost when the process ends. */
export function inMemoryLog(): TurnLog {
  process.emitWarning(
    "The server keeps its turn log in memory: turns are lost when the process ends, and other processes can't see them. Set turnLog, e.g. to createRedisTurnLog({}, client).",
    { type: "JAFServerWarning" },
  );
  return createInMemoryTurnLog();
}

/**
 * Returns the user memory as a store for the `/facts` routes, or `undefined` if it lacks a method that these routes
 * need.
 */
export const factStoreOf = (memory: RunUserMemory | undefined): UserMemoryStore | undefined =>
  memory !== undefined && STORE_METHODS.every((method) => method in memory)
    ? (memory as UserMemoryStore)
    : undefined;

const STORE_METHODS = [
  ...["list", "get", "remember", "update", "forget", "forgetAll", "explain", "review"],
] as const;
