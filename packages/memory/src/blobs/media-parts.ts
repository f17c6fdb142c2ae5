import type { BlobReference, ContentPart, Message, RichMessage } from "../contract/message.ts";
import { base64Of, bytesIn, isUint8Array } from "../runtime/bytes.ts";
import { copyArgument, isPlainObject } from "../runtime/objects.ts";
import { parseReference } from "./blob-store.ts";

/** The bytes of a media part in a message. They are a copy, so that the caller can't change them. */
interface FoundMedia {
  /** The path of the bytes in error texts (e.g. `messages[0].content[1].data`). */
  readonly path: string;
  readonly data: Uint8Array;
  readonly encoding?: "base64";
}

/** The media to be stored and the references that a batch of messages contains. */
export interface BatchMedia {
  readonly found: readonly FoundMedia[];
  /** The references to stored blobs that the messages of the batch contain. */
  readonly references: readonly { readonly path: string; readonly reference: BlobReference }[];
  /**
   * Returns the batch with a reference in place of each item of `found`. The references must be in the order of
   * `found`. The returned messages share no objects with the messages of the caller.
   */
  readonly fill: (references: readonly BlobReference[]) => readonly Message[];
}

type Fields = Readonly<Record<string, unknown>>;

// Only accepts arrays without named properties: the codec refuses all other arrays.
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

/**
 * Decodes base64 text. Returns `undefined` if encoding the bytes again gives a different text; such data stays in its
 * message.
 */
function bytesOfText(text: string): Uint8Array | undefined {
  const bytes = bytesIn(text);
  return base64Of(bytes) === text ? bytes : undefined;
}

/**
 * Returns the bytes of a media part for the blob store. Returns `undefined` for other parts, for fewer bytes than
 * `minBytes`, and for parts with a `blob` field. If a `blob` field isn't a reference, the part is stored unchanged.
 */
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

/** Returns the object with another field in place of the field `from`, at the same place in the order. */
const renamed = (fields: Fields, from: string, [to, value]: readonly [string, unknown]): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, field]) => (key === from ? [to, value] : [key, field])),
  );

/** The place of a content part in a batch: the indexes of its message and of the part in the message. */
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
 * Finds the media parts of a batch whose bytes belong in the blob store, and the references to stored blobs. Returns
 * `undefined` if the batch contains neither media parts nor references, and if reading the batch throws.
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
 * Returns a copy of the message with `data` in place of each reference for which `dataOf` returns data. Returns the
 * same message if no reference is replaced.
 */
export function withData<M extends RichMessage>(
  message: M,
  dataOf: (reference: BlobReference) => Uint8Array | string | undefined,
): M {
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
