import type { BlobReference, ContentPart, Message, RichMessage } from "../contract/message.ts";
import { base64Of, bytesIn, isUint8Array } from "../runtime/bytes.ts";
import { copyArgument, isPlainObject } from "../runtime/objects.ts";
import { parseReference } from "./blob-store.ts";

/** The bytes of a media part in a message. They are a copy, which the caller can't change during the write. */
interface FoundMedia {
  /** The path of the bytes in error texts (e.g. `messages[0].content[1].data`). */
  readonly path: string;
  readonly data: Uint8Array;
  readonly encoding?: "base64";
}

/** The media of a batch of messages: bytes that must be stored as blobs (`found`), and references to stored blobs. */
export interface BatchMedia {
  readonly found: readonly FoundMedia[];
  /** The references to stored blobs, with the path of each reference in error texts. */
  readonly references: readonly { readonly path: string; readonly reference: BlobReference }[];
  /**
   * Returns the messages of the batch, with references in place of the bytes. `references` contains one reference for
   * each item of `found`, in the same order.
   */
  readonly fill: (references: readonly BlobReference[]) => readonly Message[];
}

type Fields = Readonly<Record<string, unknown>>;

// Arrays with named properties are left to the codec, which refuses them.
const isPlainList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && Object.keys(value).length === value.length;

const isMedia = (part: unknown): part is Fields =>
  isPlainObject(part) && "type" in part && part.type === "media";

/**
 * Returns the reference of a media part whose bytes are in the blob store. Returns `undefined` for every other part.
 */
const referenceIn = (part: unknown): BlobReference | undefined =>
  isMedia(part) && part["blob"] !== undefined && part["data"] === undefined
    ? parseReference(part["blob"])
    : undefined;

/** Decodes base64 text. Returns `undefined` if the decoded bytes, encoded again, give a different text. */
function bytesOfText(text: string): Uint8Array | undefined {
  // An example is base64 without padding. Such a text stays in its message.
  const bytes = bytesIn(text);
  return base64Of(bytes) === text ? bytes : undefined;
}

/** Returns the bytes of a media part if they must be stored as a blob, otherwise `undefined`. */
function mediaIn(part: unknown, minBytes: number): Omit<FoundMedia, "path"> | undefined {
  if (!isMedia(part) || "blob" in part) return undefined;
  const data = part["data"];
  if (isUint8Array(data)) {
    return data.byteLength < minBytes ? undefined : { data: new Uint8Array(data) };
  }
  if (typeof data !== "string" || data.length < minBytes) return undefined;
  const bytes = bytesOfText(data);
  return bytes === undefined || bytes.byteLength < minBytes ? undefined : { data: bytes, encoding: "base64" };
}

/** Returns a copy of `fields`, with the field `to` in place of the field `from`. The order of the fields stays. */
const renamed = (fields: Fields, from: string, [to, value]: readonly [string, unknown]): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, field]) => (key === from ? [to, value] : [key, field])),
  );

/** The place of a content part in a batch: the index of its message, and the part's index in the message's content. */
interface PartIndex {
  readonly message: number;
  readonly part: number;
}

function search(messages: readonly unknown[], minBytes: number): BatchMedia | undefined {
  const indexes: PartIndex[] = [];
  const found: FoundMedia[] = [];
  const references: { path: string; reference: BlobReference }[] = [];
  const batch = [...messages];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    // Nearly all messages contain only text.
    if (typeof message !== "object" || message === null || !("content" in message)) continue;
    const { content } = message;
    if (typeof content === "string" || !isPlainList(content) || !isPlainObject(message)) continue;
    const parts = content.map((part, index) => {
      const path = `messages[${at}].content[${index}]`;
      const reference = referenceIn(part);
      if (reference !== undefined) references.push({ path: `${path}.blob`, reference });
      const media = reference === undefined ? mediaIn(part, minBytes) : undefined;
      if (media === undefined) return part;
      found.push({ path: `${path}.data`, ...media });
      indexes.push({ message: at, part: index });
      return renamed(part as Fields, "data", ["blob", undefined]);
    });
    batch[at] = { ...message, content: parts };
  }
  if (found.length === 0 && references.length === 0) return undefined;
  // Copy before the first `await`, so that a later change by the caller doesn't change what is written.
  const own = copyArgument(batch) as { content: Fields[] }[];
  const fill = (given: readonly BlobReference[]): readonly Message[] => {
    for (const [index, { message, part }] of indexes.entries()) {
      const content = own[message]?.content;
      if (content !== undefined) content[part] = { ...content[part], blob: given[index] };
    }
    return own as readonly unknown[] as readonly Message[];
  };
  return { found, references, fill };
}

/**
 * Finds in a batch the bytes that must be stored as blobs, and the references to stored blobs. Returns `undefined` if
 * there are none, or if a getter in the batch throws.
 */
export function findMedia(messages: unknown, minBytes: number): BatchMedia | undefined {
  if (!Array.isArray(messages)) return undefined;
  let mayHold = false;
  try {
    for (let at = 0; at < messages.length && !mayHold; at++) {
      const message: unknown = messages[at];
      mayHold =
        typeof message === "object" && message !== null && "content" in message
          ? typeof message.content === "object" && message.content !== null
          : false;
    }
    return mayHold ? search(messages, minBytes) : undefined;
  } catch {
    return undefined; // Reading it threw. The store reports that.
  }
}

const partsOf = ({ content }: RichMessage): readonly ContentPart[] =>
  typeof content === "string" || content === null ? [] : content;

/** Returns all references to blobs that these messages contain. */
export const referencesOf = (messages: readonly RichMessage[]): readonly BlobReference[] =>
  messages.flatMap(partsOf).flatMap((part) => referenceIn(part) ?? []);

/** Returns the hashes of all blobs to which these messages refer. */
export const referencedHashes = (messages: readonly RichMessage[]): ReadonlySet<string> =>
  new Set(referencesOf(messages).map(({ sha256 }) => sha256));

/**
 * Returns a copy of the message with `data` in place of each reference. A reference stays if `dataOf` returns
 * `undefined` for it.
 */
export function withData<M extends RichMessage>(
  message: M,
  dataOf: (reference: BlobReference) => Uint8Array | string | undefined,
): M {
  // If no reference is replaced, returns the same message object.
  let changed = false;
  const content = partsOf(message).map((part) => {
    const reference = referenceIn(part);
    const data = reference === undefined ? undefined : dataOf(reference);
    if (data === undefined) return part;
    changed = true;
    return { ...renamed(part, "blob", ["data", data]), type: part.type };
  });
  return changed ? { ...message, content } : message;
}
