import type { VersionedMemoryProvider } from "@jaf/memory";
import {
  type ConversationWrite,
  createInMemoryBackend,
  defineMemoryProvider,
  type MemoryBackend,
  type ReadOutcome,
  type WriteOutcome,
} from "@jaf/memory/adapter";

/** A store that breaks a promise, and the rules, at least one of which must report it. */
export interface BrokenBackend {
  readonly name: string;
  readonly rules: readonly string[];
  readonly breakIt: (backend: MemoryBackend) => MemoryBackend;
}

type Rewrite = (write: ConversationWrite) => ConversationWrite;

const rewriting =
  (rewrite: Rewrite) =>
  (backend: MemoryBackend): MemoryBackend => ({
    ...backend,
    write: (write) => backend.write(rewrite(write)),
  });

const without =
  (...fields: readonly (keyof ConversationWrite)[]): Rewrite =>
  (write) =>
    Object.fromEntries(
      Object.entries(write).filter(([field]) => !fields.some((one) => one === field)),
    ) as unknown as ConversationWrite;

const ERASED = "erased data is not readable";
const DECIDED = "writes decided on erased data are refused";
const VERSION = "a version is used once";
const STEPS = "each state is explained by writes";
const LOST = "acknowledged messages are readable";
const ONCE = "a write is stored once";

/** Only checks that the conversation is absent, not whether it was erased meanwhile. */
const withoutTombstones: Rewrite = (write) => {
  const { expectedIncarnation: expected } = write;
  if (expected === undefined || !("absent" in expected)) return write;
  return { ...without("expectedIncarnation")(write), expectedVersion: write.expectedVersion ?? 0 };
};

/** Uses the number of messages as the version, as earlier releases did. */
function countingMessages(backend: MemoryBackend): MemoryBackend {
  const recount = <T extends { readonly totalMessages: number }>(stored: T): T => ({
    ...stored,
    version: stored.totalMessages,
  });
  const read: MemoryBackend["read"] = async (request) => {
    const outcome: ReadOutcome = await backend.read(request);
    if (outcome.conversation === null) return outcome;
    return { ...outcome, conversation: recount(outcome.conversation) };
  };
  return {
    ...backend,
    read,
    find: async (query) => (await backend.find(query)).map(recount),
    write: async (write): Promise<WriteOutcome> => {
      const { conversationId, expectedVersion } = write;
      if (expectedVersion === undefined) return backend.write(write);
      const now = await read({ conversationId, messages: { kind: "none" } });
      const actualVersion = now.conversation?.version ?? 0;
      if (actualVersion !== expectedVersion) return { status: "conflict", reason: "version", actualVersion };
      return backend.write(without("expectedVersion")(write));
    },
  };
}

const unconditional = without(
  ...(["expectedVersion", "expectedMetadataVersion", "expectedIncarnation", "idempotency"] as const),
);

/** Repeats a write after a late answer, even after an erasure. */
function retryingAfterErasure(backend: MemoryBackend): MemoryBackend {
  const last = new Map<string, ConversationWrite>();
  return {
    ...backend,
    write: async (write) => {
      last.set(write.conversationId, write);
      return backend.write(write);
    },
    delete: async (conversationId) => {
      const deleted = await backend.delete(conversationId);
      const write = last.get(conversationId);
      if (deleted && write !== undefined && write.messages.length > 0)
        await backend.write({ create: { incarnation: crypto.randomUUID() }, ...unconditional(write) });
      return deleted;
    },
  };
}

/** A conversation keeps its incarnation when it is deleted and created again. */
function ofOneIncarnation(backend: MemoryBackend): MemoryBackend {
  const identity = ({ conversationId }: { readonly conversationId: string }) =>
    `of ${conversationId.slice(0, 200)}`;
  return rewriting((write) =>
    write.create === undefined ? write : { ...write, create: { incarnation: identity(write) } },
  )(backend);
}

function clearingAllButOne(backend: MemoryBackend): MemoryBackend {
  return {
    ...backend,
    clearUser: async (userId) => {
      const found = await backend.find({ userId, offset: 0, includeMessages: false });
      const [, ...others] = found;
      for (const { conversationId } of others) await backend.delete(conversationId);
      return found.length;
    },
  };
}

/** Acknowledges a deletion before it is done. */
function deletingLater(backend: MemoryBackend): MemoryBackend {
  return {
    ...backend,
    delete: async (conversationId) => {
      setTimeout(() => void backend.delete(conversationId), 2);
      return true;
    },
  };
}

function droppingInTwoSteps(backend: MemoryBackend): MemoryBackend {
  return {
    ...backend,
    write: async (write) => {
      if (write.dropLast === undefined) return backend.write(write);
      const now = await backend.read({ conversationId: write.conversationId, messages: { kind: "none" } });
      const { version, totalMessages = 0 } = now.conversation ?? {};
      if (totalMessages < write.dropLast) return { status: "conflict", reason: "length" };
      if (version !== write.expectedVersion) return { status: "conflict", reason: "version" };
      await new Promise((resolve) => setImmediate(resolve));
      return backend.write(unconditional(write));
    },
  };
}

/** Acknowledges every n-th write without storing it. */
function forgetting(backend: MemoryBackend): MemoryBackend {
  let writes = 0;
  return {
    ...backend,
    write: async (write) => {
      writes += 1;
      return writes % 5 === 0 ? { status: "written" } : backend.write(write);
    },
  };
}

function writingOneByOne(backend: MemoryBackend): MemoryBackend {
  return {
    ...backend,
    write: async (write) => {
      const [first, ...others] = write.messages;
      if (first === undefined || write.mode === "replace" || write.idempotency !== undefined)
        return backend.write(write);
      const begun = await backend.write({ ...write, messages: [first] });
      if (begun.status !== "written") return begun;
      for (const message of others) {
        await new Promise((resolve) => setImmediate(resolve));
        await backend.write({ ...without("dropLast")(unconditional(write)), messages: [message] });
      }
      return begun;
    },
  };
}

/** Returns the state of the previous read. */
function readingOldStates(backend: MemoryBackend): MemoryBackend {
  const last = new Map<string, ReadOutcome>();
  return {
    ...backend,
    read: async (request) => {
      const key = JSON.stringify(request);
      const old = last.get(key);
      const outcome = await backend.read(request);
      last.set(key, outcome);
      return old ?? outcome;
    },
  };
}

export const BROKEN_BACKENDS: readonly BrokenBackend[] = [
  { name: "has no tombstones", rules: [DECIDED, ERASED], breakIt: rewriting(withoutTombstones) },
  {
    name: "accepts any incarnation",
    rules: [DECIDED, ERASED],
    breakIt: rewriting(without("expectedIncarnation")),
  },
  {
    name: "keeps the incarnation after a deletion",
    rules: ["an incarnation ends with its erasure"],
    breakIt: ofOneIncarnation,
  },
  { name: "counts messages as its version", rules: [VERSION, STEPS], breakIt: countingMessages },
  { name: "accepts any version", rules: [VERSION], breakIt: rewriting(without("expectedVersion")) },
  {
    name: "accepts any version of the metadata",
    rules: ["no acknowledged increment is lost"],
    breakIt: rewriting(without("expectedMetadataVersion")),
  },
  { name: "forgets idempotency keys", rules: [ONCE], breakIt: rewriting(without("idempotency")) },
  {
    name: "forgets the messages' own ids",
    rules: [ONCE],
    breakIt: rewriting((write) => ({
      ...write,
      messages: write.messages.map(({ body, isToolResult }) => ({ body, isToolResult })),
    })),
  },
  { name: "writes again after an erasure", rules: [ERASED], breakIt: retryingAfterErasure },
  { name: "acknowledges a deletion too early", rules: [ERASED], breakIt: deletingLater },
  { name: "clears all conversations but one", rules: [ERASED], breakIt: clearingAllButOne },
  { name: "drops in two steps", rules: ["an item is popped once", LOST], breakIt: droppingInTwoSteps },
  { name: "forgets a write", rules: [LOST], breakIt: forgetting },
  { name: "writes one by one", rules: ["batches and turns are whole", STEPS], breakIt: writingOneByOne },
  { name: "reads old states", rules: [LOST], breakIt: readingOldStates },
];

export const openBroken = ({ breakIt }: BrokenBackend): VersionedMemoryProvider =>
  defineMemoryProvider(breakIt(createInMemoryBackend()));
