import { createSuccess, type Result } from "../../../contract/errors.ts";
import type { Message } from "../../../contract/message.ts";
import type { WriteMetadata, WriteOptions } from "../../../contract/provider.ts";
import type {
  MessageSelection,
  ReadOptions,
  VersionedMemoryProvider,
} from "../../../contract/versioned-provider.ts";
import { answering, assistant, calling, user } from "../../fixtures/messages.ts";

/** Returns a random number that is at least 0 and less than 1. */
export type Random = () => number;

/** Creates a generator of random numbers (mulberry32) that only depend on the seed. */
export function randomNumbers(seed: number): Random {
  // So a failed test can be repeated with its seed.
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random whole number that is at least 0 and less than `limit`. */
export const below = (random: Random, limit: number): number => Math.floor(random() * limit);

const pick = <T>(random: Random, ...choices: readonly [T, ...T[]]): T =>
  choices[below(random, choices.length)] ?? choices[0];

/** The incarnation that a client has read last, by conversation id. */
export type Known = Map<string, string>;

export interface RandomOperation {
  /** The call with its arguments as text, for the report of a failure. */
  readonly name: string;
  /** Makes the call. Calls with equal `provider` and `known` are always the same. */
  readonly run: (provider: VersionedMemoryProvider, known: Known) => Promise<Result<unknown>>;
}

// Only a few ids, so that operations often affect the same conversation.
/** The ids of the conversations. */
const CONVERSATIONS = ["a", "a:b", "A", "{a}"] as const;
const USERS = ["u", "u:v", "%"] as const;
const TRACES = ["t", "T", "t*"] as const;
const OWN_IDS = 6;
// The incarnation isn't known when the name is made.
/** Stands in an operation's name for the incarnation that the operation's client has read last. */
const LAST_READ = "(the last one read)";
/** The incarnation that a read returns if the conversation never existed. */
const NEVER_THERE = "none::";

const conversationId = (random: Random): string => pick(random, ...CONVERSATIONS);
const userId = (random: Random): string => pick(random, ...USERS);
const traceId = (random: Random): string => pick(random, ...TRACES);
const key = (random: Random): string => `k${below(random, 4)}`;

/** Returns the result of `field` with the probability `chance` (from 0 to 1), otherwise an empty object. */
const sometimes = <T extends object>(
  random: Random,
  chance: number,
  field: () => T,
): T | Record<never, never> => (random() < chance ? field() : {});

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

const nameOf = (method: string, given: readonly unknown[]): string =>
  `${method}(${given.map((argument) => JSON.stringify(argument)).join(", ")})`;

/** Returns an operation that calls `method` with the given arguments. */
const call = <M extends keyof VersionedMemoryProvider>(
  method: M,
  ...given: Parameters<VersionedMemoryProvider[M]>
): RandomOperation => ({
  name: nameOf(method, given),
  run: (provider) => {
    const bound = provider[method] as (...values: readonly unknown[]) => Promise<Result<unknown>>;
    return bound(...given);
  },
});

type Write = readonly [
  id: string,
  messages: readonly Message[],
  metadata: WriteMetadata,
  options: WriteOptions,
];

/** Returns a write whose `expectedIncarnation` is the incarnation that the write's client has read last. */
const expecting = (method: "appendMessages" | "storeMessages", [id, messages, metadata, options]: Write) => ({
  name: nameOf(method, [id, messages, metadata, { ...options, expectedIncarnation: LAST_READ }]),
  run: (provider: VersionedMemoryProvider, known: Known) => {
    const expectedIncarnation = known.get(id) ?? NEVER_THERE;
    return provider[method](id, messages, metadata, { ...options, expectedIncarnation });
  },
});

/** Returns a read that stores the incarnation in `known`, for later writes of the same client. */
const reading = (id: string, options: ReadOptions): RandomOperation => ({
  name: nameOf("readConversation", [id, options]),
  run: async (provider, known) => {
    const result = await provider.readConversation(id, options);
    if (!result.success) return result;
    // Leave out the time, because it is different in each read.
    const { readAt: _, ...rest } = result.data;
    known.set(id, rest.incarnation);
    return createSuccess(rest);
  },
});

/** Returns messages with ids (`messageIds`). Messages with the same id usually have the same text. */
function ownMessages(random: Random) {
  // With the same text, a store must skip the second message. With a different text, it must refuse the write.
  const messageIds = Array.from({ length: 1 + below(random, 3) }, () =>
    random() < 0.2 ? null : `m${below(random, OWN_IDS)}`,
  );
  const messages = messageIds.map((id) => user(random() < 0.9 ? `text of ${id}` : "another text"));
  return { messages, options: { messageIds } };
}

/** Returns messages with an idempotency key. Writes with the same key usually have the same messages. */
function keyedMessages(random: Random) {
  // With the same messages, the second write is a repeat. With different messages, it is a conflict.
  const idempotencyKey = key(random);
  const messages = random() < 0.8 ? [user(`body of ${idempotencyKey}`)] : batch(random);
  return { messages, options: { idempotencyKey } };
}

function contentOf(random: Random): {
  readonly messages: readonly Message[];
  readonly options: WriteOptions;
} {
  const chance = random();
  if (chance < 0.25) return keyedMessages(random);
  if (chance < 0.45) return ownMessages(random);
  return { messages: batch(random), options: {} };
}

/** Returns options that only `appendMessages` allows. */
const appendOptions = (random: Random): WriteOptions => ({
  ...sometimes(random, 0.75, () => ({
    createIfMissing: pick<"unowned" | true>(random, "unowned", "unowned", "unowned", true),
  })),
  ...sometimes(random, 0.2, () => ({ dropLast: below(random, 4) })),
});

function randomWrite(random: Random): RandomOperation {
  const method = pick(random, "appendMessages", "appendMessages", "appendMessages", "storeMessages");
  const metadata = {
    ...sometimes(random, 0.2, () => ({ userId: userId(random) })),
    ...sometimes(random, 0.2, () => ({ traceId: traceId(random) })),
    ...sometimes(random, 0.25, () => ({ [pick(random, "x", "y", "$date")]: below(random, 9) })),
  };
  const { messages, options: content } = contentOf(random);
  const options: WriteOptions = {
    ...content,
    ...sometimes(random, 0.15, () => ({ expectedVersion: below(random, 6) })),
    ...sometimes(random, 0.1, () => ({ expectedMetadataVersion: below(random, 4) })),
    ...sometimes(random, 0.25, () => ({ maxMessages: 1 + below(random, 6) })),
    ...sometimes(random, 0.05, () => ({ ttlSeconds: 3_600 })),
    ...(method === "appendMessages" ? appendOptions(random) : {}),
  };
  const write = [conversationId(random), messages, metadata, options] as const;
  return random() < 0.15 ? expecting(method, write) : call(method, ...write);
}

/** Returns a write that creates a conversation as a child of another, as it is at this time. */
function randomChild(random: Random): RandomOperation {
  const [id, parent] = [conversationId(random), conversationId(random)];
  const metadata = sometimes(random, 0.3, () => ({ userId: userId(random) }));
  const messages = batch(random);
  return {
    name: nameOf("appendMessages", [id, messages, metadata, { childOf: parent }]),
    run: async (provider) => {
      const read = await provider.readConversation(parent, { messages: "none" });
      if (!read.success) return read;
      const childOf = { conversationId: parent, incarnation: read.data.incarnation };
      return provider.appendMessages(id, messages, metadata, { createIfMissing: "unowned", childOf });
    },
  };
}

function randomSelection(random: Random): MessageSelection {
  const range = {
    ...sometimes(random, 0.5, () => ({ after: below(random, 9) - 1 })),
    ...sometimes(random, 0.5, () => ({ before: below(random, 9) })),
    ...sometimes(random, 0.5, () => ({ limit: below(random, 5) })),
  };
  return pick<MessageSelection>(random, range, range, "none", { messageId: `m${below(random, OWN_IDS)}` });
}

const randomReading = (random: Random): RandomOperation =>
  reading(conversationId(random), {
    messages: randomSelection(random),
    ...sometimes(random, 0.3, () => ({ receiptFor: key(random) })),
    ...sometimes(random, 0.3, () => ({ userId: userId(random) })),
  });

const randomImport = (random: Random): RandomOperation =>
  call("importConversation", {
    conversationId: conversationId(random),
    ...sometimes(random, 0.5, () => ({ userId: userId(random) })),
    messages: [user("imported"), assistant("text of m0")],
    messageIds: [null, "m0"],
    metadata: { x: "imported" },
    traceIds: [traceId(random)],
    ...{ createdAt: new Date(1_000), lastActivity: new Date(2_000) },
    ...{ version: 1 + below(random, 5), metadataVersion: below(random, 5), firstPosition: below(random, 5) },
  });

/** Returns a random operation on one conversation. */
export function randomStep(random: Random): RandomOperation {
  // Operations on several conversations (e.g. `clearUserConversations`) aren't atomic, so their result is not
  // determined while other clients write.
  const chance = random();
  if (chance < 0.62) return randomWrite(random);
  if (chance < 0.69) return call("deleteConversation", conversationId(random));
  if (chance < 0.72) return randomImport(random);
  if (chance < 0.78) return call("getConversation", conversationId(random));
  if (chance < 0.9) return randomReading(random);
  if (chance < 0.92) return call("exportConversation", conversationId(random));
  if (chance < 0.96) return call("getRecentMessages", conversationId(random), below(random, 8));
  const narrowed = pick(random, {}, { userId: userId(random) }, { traceId: traceId(random) });
  return call("findConversations", { conversationId: conversationId(random), ...narrowed });
}

export function randomOperation(random: Random): RandomOperation {
  const chance = random();
  if (chance < 0.76) return randomStep(random);
  if (chance < 0.84) return randomChild(random);
  if (chance < 0.86) return call("findConversations", { childrenOf: conversationId(random) });
  if (chance < 0.89) return call("clearUserConversations", userId(random));
  if (chance < 0.93) return call("findConversations", { includeMessages: random() < 0.5 });
  if (chance < 0.96) return call("findConversations", { userId: userId(random) });
  if (chance < 0.98) return call("findConversations", { traceId: traceId(random) });
  return call("getStats", ...pick<[] | [string]>(random, [], [userId(random)]));
}

/**
 * Reads of the whole store. Together they return everything that the operations of {@link randomStep} can have written.
 */
export const surveys: readonly RandomOperation[] = [
  call("findConversations", {}),
  call("getStats"),
  ...TRACES.map((traceId) => call("findConversations", { traceId, includeMessages: false })),
  ...USERS.map((userId) => call("findConversations", { userId, includeMessages: false })),
];
