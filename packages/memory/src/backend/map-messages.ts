import { CorruptMessage, decodeMessage } from "../codec/decode.ts";
import { createMemoryStorageError, describeCause } from "../errors.ts";
import type { EncodedMessage, MemoryBackend, StoredConversation, StoredMessage } from "./backend.ts";
import { extendBackend } from "./extend-backend.ts";

/** What becomes of a message's body, which is JSON text, on its way into a store and out of it. */
export interface MessageMapping {
  /** Any text, of which `decode` makes the body again. Where it throws, nothing is written. */
  readonly encode: (body: string) => string | Promise<string>;
  /** Where it throws, the read fails. */
  readonly decode: (text: string) => string | Promise<string>;
}

class MappingFailed extends Error {
  override readonly name = "MappingFailed";
}

/** What is thrown may quote the message: only its name is kept. */
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

/** A message of its own, so that it is to the store what every body is, whatever characters the text holds. */
const enclose = ({ isToolResult }: EncodedMessage, text: string): string =>
  JSON.stringify({ role: isToolResult ? "tool" : "user", content: text });

/** Throws {@link CorruptMessage}. */
function disclose(stored: StoredMessage, index: number): string {
  const { content }: { readonly content: unknown } =
    typeof stored === "string" ? decodeMessage(stored, index) : stored;
  if (typeof content !== "string") throw new CorruptMessage(index);
  return content;
}

/**
 * The backend, keeping another text in place of each message's body: for wrappers that encrypt, compress or rewrite what
 * is stored. A reader without the wrapper finds a message that holds that text.
 *
 * Ids, owners and metadata are kept as they are. So are the hashes of idempotency keys and of messages with ids of their
 * own: a retry, and a message that comes again, are known also where `encode` gives another text each time. They are
 * SHA-256 of what was said, so short or guessable texts can be told from them.
 */
export function mapMessages<B extends MemoryBackend>(backend: B, { encode, decode }: MessageMapping): B {
  const encodeBody = async (message: EncodedMessage): Promise<EncodedMessage> => ({
    ...message,
    body: enclose(message, await mapped(encode, message.body)),
  });
  const decodeConversation = async (stored: StoredConversation): Promise<StoredConversation> => {
    const texts = stored.messages.map(disclose);
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
