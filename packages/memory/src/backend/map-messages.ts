import { CorruptMessage, decodeMessage } from "../codec/messages.ts";
import type {
  EncodedMessage,
  MemoryBackend,
  StoredConversation,
  StoredMessage,
} from "../contract/backend.ts";
import { createMemoryStorageError, describeCause } from "../contract/errors.ts";
import { extendObject } from "../runtime/objects.ts";

/** Converts a message's body (JSON text) before it is stored, and converts the stored text back after a read. */
export interface MessageMapping {
  /**
   * Returns the text to store in place of `body`. `decode` must be able to convert this text back into `body`. If
   * `encode` throws, nothing is written.
   */
  readonly encode: (body: string) => string | Promise<string>;
  /** Converts a stored text back into the message's body. If `decode` throws, the read fails. */
  readonly decode: (text: string) => string | Promise<string>;
}

/**
 * Wraps a backend so that it stores another text in place of each message's JSON text (e.g. the encrypted or compressed
 * message). If a program reads the same store without this wrapper, it gets messages whose content is the converted
 * text.
 *
 * Ids, owners and metadata are stored unchanged. The store also keeps SHA-256 hashes of the original content: for each
 * message with an id in `WriteOptions.messageIds`, and for each write with an idempotency key. By these hashes, the
 * store recognises a retry or a repeated message, even if `encode` returns a different text each time. Caution: a short
 * or guessable text can be recovered from its hash.
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

/**
 * Returns the result of `map`. If `map` throws, or doesn't return a string, throws an error without the message's text.
 */
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

/** Returns the body of a message whose content is the converted `text`. */
const toStoredBody = ({ isToolResult }: EncodedMessage, text: string): string =>
  // The store can treat it like any other body, whatever characters the converted text contains.
  JSON.stringify({ role: isToolResult ? "tool" : "user", content: text });

/**
 * Returns the converted text from a body that `toStoredBody` made. Throws {@link CorruptMessage} for any other body.
 */
function fromStoredBody(stored: StoredMessage, index: number): string {
  const { content }: { readonly content: unknown } =
    typeof stored === "string" ? decodeMessage(stored, index) : stored;
  if (typeof content !== "string") throw new CorruptMessage(index);
  return content;
}

/**
 * Returns a backend with some methods of the given backend replaced, for backend wrappers. Calls of all other methods
 * are passed to the given backend, which may be a class instance.
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
