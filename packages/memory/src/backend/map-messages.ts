import { CorruptMessage, decodeMessage } from "../codec/messages.ts";
import type {
  EncodedMessage,
  MemoryBackend,
  StoredConversation,
  StoredMessage,
} from "../contract/backend.ts";
import { createMemoryStorageError, describeCause } from "../contract/errors.ts";
import { extendObject } from "../runtime/objects.ts";

/** Converts a message's body (JSON text) before it is stored and after it is read. */
export interface MessageMapping {
  /** Returns a text that `decode` can convert back. If it throws, nothing is written. */
  readonly encode: (body: string) => string | Promise<string>;
  /** If it throws, the read fails. */
  readonly decode: (text: string) => string | Promise<string>;
}

/**
 * Wraps a backend to store another text in place of each message's body, for encryption, compression or rewriting.
 * Readers without the wrapper get a message with that text.
 *
 * Ids, owners and metadata are stored unchanged. The hashes of writes with idempotency keys and of messages with ids
 * don't change either, so retries and repeated messages are recognised even if `encode` returns a different text each
 * time. They are SHA-256 hashes of the original: short or guessable texts can be recovered from them.
 *
 * @example
 * ```ts
 * import { gunzipSync, gzipSync } from "node:zlib";
 * import { createInMemoryBackend, defineMemoryProvider, mapMessages } from "@jaf/memory/adapter";
 *
 * const compressed = mapMessages(createInMemoryBackend(), {
 *   encode: (body) => gzipSync(body).toString("base64"),
 *   decode: (text) => gunzipSync(Buffer.from(text, "base64")).toString(),
 * });
 * export const provider = defineMemoryProvider(compressed);
 * ```
 */
export function mapMessages<B extends MemoryBackend>(backend: B, { encode, decode }: MessageMapping): B {
  const encodeBody = async (message: EncodedMessage): Promise<EncodedMessage> => ({
    ...message,
    body: toStoredBody(message, await mapped(encode, message.body)),
  });
  const decodeConversation = async (stored: StoredConversation): Promise<StoredConversation> => {
    const texts = stored.messages.map(fromStoredBody);
    return { ...stored, messages: await Promise.all(texts.map((text) => mapped(decode, text))) };
  };
  return extendBackend(backend, {
    write: async (write) =>
      backend.write({ ...write, messages: await Promise.all(write.messages.map(encodeBody)) }),
    read: async (request) => {
      const read = await backend.read(request);
      if (read.conversation === null) return read;
      return { ...read, conversation: await decodeConversation(read.conversation) };
    },
    find: async (query) => Promise.all((await backend.find(query)).map(decodeConversation)),
    toMemoryError: (operation, thrown) =>
      thrown instanceof MappingFailed
        ? createMemoryStorageError(operation, `a message could not be mapped (${thrown.message})`, {
            provider: backend.name,
          })
        : backend.toMemoryError(operation, thrown),
  });
}

class MappingFailed extends Error {
  override readonly name = "MappingFailed";
}

/** The thrown error may quote the message, so only its name is kept. */
async function mapped(map: (text: string) => string | Promise<string>, text: string): Promise<string> {
  let result: unknown;
  try {
    result = await map(text);
  } catch (thrown) {
    throw new MappingFailed(describeCause(thrown).name);
  }
  if (typeof result !== "string") throw new MappingFailed("no text");
  return result;
}

/** Stored as a message, so the store can treat it like any body, whatever characters the text contains. */
const toStoredBody = ({ isToolResult }: EncodedMessage, text: string): string =>
  JSON.stringify({ role: isToolResult ? "tool" : "user", content: text });

/** Throws {@link CorruptMessage}. */
function fromStoredBody(stored: StoredMessage, index: number): string {
  const { content }: { readonly content: unknown } =
    typeof stored === "string" ? decodeMessage(stored, index) : stored;
  if (typeof content !== "string") throw new CorruptMessage(index);
  return content;
}

/**
 * Returns the backend with some of its methods replaced: the base of a wrapper. All other methods are passed on, bound
 * to the backend, which may be a class instance.
 *
 * @example
 * ```ts
 * import { extendBackend, type MemoryBackend } from "@jaf/memory/adapter";
 *
 * export const logDeletions = (backend: MemoryBackend): MemoryBackend =>
 *   extendBackend(backend, {
 *     delete: (conversationId) => {
 *       console.log("delete", conversationId);
 *       return backend.delete(conversationId);
 *     },
 *   });
 * ```
 */
export const extendBackend = <B extends MemoryBackend>(backend: B, methods: Partial<MemoryBackend>): B =>
  extendObject(backend, methods);
