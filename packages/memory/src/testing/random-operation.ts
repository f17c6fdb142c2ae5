import type { Message } from "../message.ts";
import type { Result } from "../result.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import { answering, assistant, calling, user } from "./messages.ts";
import { below, pick, type Random } from "./random.ts";

export interface RandomOperation {
  /** The call with its arguments, for the report of a failure. */
  readonly name: string;
  readonly run: (provider: VersionedMemoryProvider) => Promise<Result<unknown>>;
}

/** Few ids, so that operations meet. */
const CONVERSATIONS = ["a", "a:b", "A", "{a}"] as const;
const USERS = ["u", "u:v", "%"] as const;
const TRACES = ["t", "T", "t*"] as const;

const conversationId = (random: Random): string => pick(random, ...CONVERSATIONS);
const userId = (random: Random): string => pick(random, ...USERS);
const traceId = (random: Random): string => pick(random, ...TRACES);

function batch(random: Random): readonly Message[] {
  const text = `${below(random, 1_000)}`;
  return pick<readonly Message[]>(
    random,
    [],
    [user(text)],
    [user(text), assistant(text)],
    [calling(text), answering(text)],
    [user(text), calling("x", "y"), answering("x"), answering("y"), assistant(text)],
    [calling("x", "y", "z")],
    [answering("x")],
  );
}

/** Calls `method` of a provider; `given` must be all it depends on. */
const call = <M extends keyof VersionedMemoryProvider>(
  method: M,
  ...given: Parameters<VersionedMemoryProvider[M]>
) => ({
  name: `${method}(${given.map((argument) => JSON.stringify(argument)).join(", ")})`,
  run: (provider: VersionedMemoryProvider): Promise<Result<unknown>> => {
    const bound = provider[method] as (...values: readonly unknown[]) => Promise<Result<unknown>>;
    return bound(...given);
  },
});

function randomWrite(random: Random): RandomOperation {
  const method = pick(random, "appendMessages", "appendMessages", "appendMessages", "storeMessages");
  const metadata = {
    ...(random() < 0.2 ? { userId: userId(random) } : {}),
    ...(random() < 0.3 ? { traceId: traceId(random) } : {}),
    ...(random() < 0.3 ? { [pick(random, "x", "y", "$date")]: below(random, 9) } : {}),
  };
  const options = {
    ...(random() < 0.2 ? { expectedVersion: below(random, 8) } : {}),
    ...(random() < 0.3 ? { maxMessages: 1 + below(random, 6) } : {}),
  };
  // A key is tied to a batch most of the time, so that both replays and conflicts occur.
  const key = below(random, 4);
  const keyed = random() < 0.3;
  const messages = keyed && random() < 0.8 ? [user(`body of ${key}`)] : batch(random);
  const creates = method === "appendMessages" && random() < 0.8;
  const all = {
    ...options,
    ...(keyed ? { idempotencyKey: `k${key}` } : {}),
    ...(creates ? { createIfMissing: "unowned" as const } : {}),
  };
  return call(method, conversationId(random), messages, metadata, all);
}

export function randomOperation(random: Random): RandomOperation {
  const chance = random();
  if (chance < 0.6) return randomWrite(random);
  if (chance < 0.63) return call("deleteConversation", conversationId(random));
  if (chance < 0.65) return call("clearUserConversations", userId(random));
  if (chance < 0.75) return call("getConversation", conversationId(random));
  if (chance < 0.85) return call("getRecentMessages", conversationId(random), below(random, 8));
  if (chance < 0.92) return call("findConversations", { includeMessages: random() < 0.5 });
  if (chance < 0.95) return call("findConversations", { userId: userId(random) });
  if (chance < 0.98) return call("findConversations", { traceId: traceId(random) });
  return call("getStats", ...pick<[] | [string]>(random, [], [userId(random)]));
}

/**
 * An operation on one conversation: those on several at once are no single step, so that what they show while others
 * write has no one right answer.
 */
export function randomStep(random: Random): RandomOperation {
  const chance = random();
  if (chance < 0.7) return randomWrite(random);
  if (chance < 0.78) return call("deleteConversation", conversationId(random));
  if (chance < 0.88) return call("getConversation", conversationId(random));
  if (chance < 0.94) return call("getRecentMessages", conversationId(random), below(random, 8));
  const narrowed = pick(random, {}, { userId: userId(random) }, { traceId: traceId(random) });
  return call("findConversations", { conversationId: conversationId(random), ...narrowed });
}

/** All that a store shows of itself, given what {@link randomStep} may have written. */
export const surveys: readonly RandomOperation[] = [
  call("findConversations", {}),
  call("getStats"),
  ...TRACES.map((traceId) => call("findConversations", { traceId, includeMessages: false })),
  ...USERS.map((userId) => call("findConversations", { userId, includeMessages: false })),
];
