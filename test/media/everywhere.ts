import { encodeJson } from "../../packages/memory/src/codec/json.ts";
import { decodeMessage } from "../../packages/memory/src/codec/messages.ts";
import {
  type BlobMethods,
  type BlobStore,
  type ConversationMemory,
  createFailure,
  createSuccess,
  type Message,
  parseMessages,
  type Result,
  type VersionedMemoryProvider,
  type WriteOptions,
  withBlobs,
} from "../../packages/memory/src/index.ts";

/** Returns the same text for the same message, regardless of the order of its fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}

const toMedia =
  (isSorted: boolean) =>
  (message: Message): Message => {
    const text = encodeJson(message);
    const body = isSorted ? JSON.stringify(sorted(JSON.parse(text))) : text;
    const part = { type: "media", mediaType: "application/json", data: Buffer.from(body) };
    return { role: message.role, content: [part] } as unknown as Message;
  };

/** Passes on invalid messages unchanged, so they are refused. */
const allToMedia = (messages: readonly Message[], isSorted = false): readonly Message[] =>
  parseMessages(messages).success ? messages.map(toMedia(isSorted)) : messages;

/** Messages with ids are compared regardless of the order of their fields. */
const haveIds = (options: WriteOptions | undefined): boolean => options?.messageIds !== undefined;

function fromMedia(message: Message, index: number): Message {
  const [part] = message.content as unknown as readonly { readonly data: Uint8Array }[];
  return decodeMessage(Buffer.from(part?.data ?? []).toString(), index);
}

/**
 * A provider that keeps every message in the blob store, and only its role in the store, so the rules for messages test
 * blobs.
 */
export function mediaEverywhere(
  store: VersionedMemoryProvider,
  blobs: BlobStore,
): VersionedMemoryProvider & Pick<BlobMethods, "sweepBlobs"> {
  const provider = withBlobs(store, { blobs, minBytes: 1, cacheBytes: 0 });

  async function restore(conversation: ConversationMemory): Promise<Result<ConversationMemory>> {
    const resolved = await provider.resolveMedia(conversation.conversationId, conversation.messages);
    if (!resolved.success) return resolved;
    return createSuccess(
      Object.freeze({ ...conversation, messages: Object.freeze(resolved.data.map(fromMedia)) }),
    );
  }

  /** Reads again if messages were erased between the two steps of a read. */
  async function again<T>(read: () => Promise<Result<T>>): Promise<Result<T>> {
    let result = await read();
    for (
      let attempt = 0;
      attempt < 20 && !result.success && result.error._tag === "MemoryStorageError";
      attempt++
    ) {
      result = await read();
    }
    return result;
  }

  return {
    ...provider,
    storeMessages: (id, messages, metadata, options) =>
      provider.storeMessages(id, allToMedia(messages, haveIds(options)), metadata, options),
    appendMessages: (id, messages, metadata, options) =>
      provider.appendMessages(id, allToMedia(messages, haveIds(options)), metadata, options),
    getConversation: (id) =>
      again(async () => {
        const read = await provider.getConversation(id);
        return read.success && read.data !== null ? restore(read.data) : read;
      }),
    readConversation: (id, options) =>
      again(async () => {
        const read = await provider.readConversation(id, options);
        if (!read.success || read.data.conversation === null) return read;
        const restored = await restore(read.data.conversation);
        return restored.success ? createSuccess({ ...read.data, conversation: restored.data }) : restored;
      }),
    getRecentMessages: (id, limit) =>
      again(async () => {
        const read = await provider.getRecentMessages(id, limit);
        if (!read.success) return read;
        const resolved = await provider.resolveMedia(id, read.data);
        return resolved.success ? createSuccess(Object.freeze(resolved.data.map(fromMedia))) : resolved;
      }),
    findConversations: (query) =>
      again(async () => {
        const found = await provider.findConversations(query);
        if (!found.success) return found;
        const all = await Promise.all(found.data.map(restore));
        const restored = all.flatMap((one) => (one.success ? [one.data] : []));
        const failed = all.find((one) => !one.success);
        return failed !== undefined && !failed.success
          ? createFailure(failed.error)
          : createSuccess(restored);
      }),
    exportConversation: (id) =>
      again(async () => {
        const record = await provider.exportConversation(id);
        if (!record.success || record.data === null) return record;
        return createSuccess(
          Object.freeze({ ...record.data, messages: Object.freeze(record.data.messages.map(fromMedia)) }),
        );
      }),
    importConversation: async (record, options) => {
      let messages: readonly Message[];
      try {
        messages = allToMedia(record.messages, record.messageIds !== undefined);
      } catch {
        return provider.importConversation(record, options);
      }
      return provider.importConversation({ ...record, messages }, options);
    },
    sweepBlobs: provider.sweepBlobs,
  };
}
