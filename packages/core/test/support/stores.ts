import {
  type ConversationMemory,
  createFailure,
  createMemoryConnectionError,
  createSuccess,
  type MemoryProvider,
  type Message,
  type VersionedMemoryProvider,
  type WriteMetadata,
  type WriteOptions,
} from "@jaf/memory";

/** Appends to the conversation "c", and creates it if it is missing. */
export const seed = (
  provider: MemoryProvider,
  messages: readonly Message[],
  metadata: WriteMetadata = {},
  options: WriteOptions = {},
) => provider.appendMessages("c", messages, metadata, { createIfMissing: "unowned", ...options });

/** A provider with only the ten methods of the specification. */
export function tenMethods(provider: MemoryProvider): MemoryProvider {
  const { readConversation, exportConversation, importConversation, verifyConversation, ...ten } =
    provider as VersionedMemoryProvider;
  return ten;
}

/** A provider with the types of the specification, without versions and incarnations. */
export function unversioned(provider: MemoryProvider): MemoryProvider {
  const strip = <T extends ConversationMemory | null>(conversation: T): T => {
    if (conversation?.metadata === undefined) return conversation;
    const { version, metadataVersion, nextPosition, incarnation, historyDigest, ...metadata } =
      conversation.metadata;
    return { ...conversation, metadata };
  };
  return {
    ...tenMethods(provider),
    getConversation: async (id) => {
      const found = await provider.getConversation(id);
      return found.success ? createSuccess(strip(found.data)) : found;
    },
    findConversations: async (query) => {
      const found = await provider.findConversations(query);
      return found.success ? createSuccess(found.data.map(strip)) : found;
    },
    appendMessages: async (id, messages, metadata) => {
      const written = await provider.appendMessages(id, messages, metadata, { createIfMissing: "unowned" });
      return written.success ? createSuccess(undefined) : written;
    },
  };
}

export interface Write {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata | undefined;
  readonly options: WriteOptions | undefined;
}

/** Records every attempted append. */
export function recordWrites(inner: MemoryProvider) {
  const writes: Write[] = [];
  const provider: MemoryProvider = {
    ...inner,
    appendMessages: (id, messages, metadata, options) => {
      writes.push({ messages, metadata, options });
      return inner.appendMessages(id, messages, metadata, options);
    },
  };
  return { provider, writes };
}

export type FailureMode =
  /** Refused: nothing was written. */
  | "before"
  /** Written, but the answer got lost. */
  | "after"
  /** As "before", and the provider breaks its contract by throwing. */
  | "throw";

/** Fails the append of messages with this number, from 1, and every one after it: the store is gone. */
export function failAppends(
  inner: MemoryProvider,
  from: number,
  mode: FailureMode = "before",
): MemoryProvider {
  let appends = 0;
  return {
    ...inner,
    appendMessages: async (...args) => {
      // What is written without messages depends on the time.
      if (args[1].length > 0 || appends >= from) appends += 1;
      if (appends < from) return inner.appendMessages(...args);
      if (mode === "throw") throw new Error("the connection pool is closed");
      if (mode === "after" && appends === from) await inner.appendMessages(...args);
      return createFailure(createMemoryConnectionError("test"));
    },
  };
}

export async function storedMessages(provider: MemoryProvider, id = "c"): Promise<readonly Message[]> {
  const loaded = await provider.getConversation(id);
  if (!loaded.success) throw new Error(loaded.error.message);
  return loaded.data?.messages ?? [];
}

/** Notes how many messages each read brought. */
export function countingReads(inner: VersionedMemoryProvider) {
  const reads: number[] = [];
  const provider: VersionedMemoryProvider = {
    ...inner,
    readConversation: async (...args) => {
      const read = await inner.readConversation(...args);
      if (read.success) reads.push(read.data.conversation?.messages.length ?? 0);
      return read;
    },
  };
  return { provider, reads };
}
