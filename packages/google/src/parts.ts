import type { ContentPart } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import { base64Of, type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";

/** The key of Gemini's own fields in `providerMetadata`. */
const NAME = "google";

/** Gemini's additional fields of a part, call or message; empty without any. */
export const metadataIn = (holder: object): Fields =>
  fieldsOf(fieldsOf(fieldsOf(holder)["providerMetadata"])[NAME]);

export const asMetadata = (fields: Fields): { readonly providerMetadata?: Fields } =>
  Object.keys(fields).length === 0 ? {} : { providerMetadata: { [NAME]: fields } };

/** Returns a text that isn't empty, and `undefined` for anything else. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Whether a part of Gemini's is text or a thought. */
export const isTextPart = (part: Fields): boolean => typeof part["text"] === "string";

export const isThought = (part: Fields): boolean => part["thought"] === true;

/** Whether a text part says nothing, and has no further fields. */
export const isNothing = (part: Fields): boolean => part["text"] === "" && isPlain(pieceOf(part));

interface Piece {
  readonly text: string;
  /** The signature and any other fields. */
  readonly further: Fields;
}

function pieceOf(part: Fields): Piece {
  const { text, thought: _, ...further } = part;
  return { text: String(text), further };
}

const isPlain = ({ further }: Piece): boolean => Object.keys(further).length === 0;

/**
 * Joins consecutive texts, which a stream may split anywhere, into one part. Google forbids merging a text with a signature
 * and one without, so the part's metadata holds the pieces: `{ pieces: [{ length, thoughtSignature? }] }`.
 *
 * @returns `undefined` if all texts are empty.
 */
export function textPartOf(texts: readonly Fields[]): ContentPart | undefined {
  const pieces: Piece[] = [];
  for (const piece of texts.map(pieceOf)) {
    const last = pieces.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(piece))
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
    else if (piece.text !== "" || !isPlain(piece)) pieces.push(piece);
  }
  const [first, ...others] = pieces;
  if (first === undefined) return undefined;
  const type = texts.some(isThought) ? "reasoning" : "text";
  if (others.length === 0) return { type, text: first.text, ...asMetadata(first.further) };
  return {
    type,
    text: pieces.map(({ text }) => text).join(""),
    ...asMetadata({ pieces: pieces.map(({ text, further }) => ({ ...further, length: text.length })) }),
  };
}

/** The original Gemini parts of a text. A text that was changed becomes one part without signatures. */
export function textsOf(part: ContentPart): readonly Fields[] {
  const text = typeof part["text"] === "string" ? part["text"] : "";
  const thought = part.type === "reasoning" ? { thought: true } : {};
  const metadata = metadataIn(part);
  if (metadata["pieces"] === undefined) {
    const isNothing = text === "" && Object.keys(metadata).length === 0;
    return isNothing ? [] : [{ text, ...thought, ...metadata }];
  }
  const pieces = listOf(metadata["pieces"]).map(fieldsOf);
  const length = pieces.reduce((sum, piece) => sum + Number(piece["length"]), 0);
  if (length !== text.length) return text === "" ? [] : [{ text, ...thought }];
  let from = 0;
  return pieces.map(({ length, ...further }) => {
    const piece = text.slice(from, from + Number(length));
    from += piece.length;
    return { text: piece, ...thought, ...further };
  });
}

/** Gemini's fields for tools that Google runs, and what they hold. */
const EXECUTED = {
  executableCode: "call",
  codeExecutionResult: "result",
  toolCall: "call",
  toolResponse: "result",
  functionCall: "call",
  functionResponse: "result",
} as const;

/** Converts a part that is neither text nor a call. `id`: that of a call which Google ran itself; default: the part's own. */
export function otherPart(part: Fields, id?: string): ContentPart {
  for (const [field, kind] of Object.entries(EXECUTED)) {
    const { [field]: held, ...further } = part;
    if (!isObject(held)) continue;
    const byDefault = /code/i.test(field) ? "code_execution" : "tool";
    const name = textIn(held["toolType"]) ?? textIn(held["name"]) ?? byDefault;
    const known = { type: `provider-tool-${kind}`, id: id ?? textIn(held["id"]), name };
    const metadata = asMetadata({ field, ...further });
    if (kind === "call") return { ...known, input: held, ...metadata };
    const isError = hasFailed(held);
    return { ...known, output: held, ...(isError ? { isError } : {}), ...metadata };
  }
  return mediaPartOf(part) ?? { type: "gemini", part };
}

/** Whether code that Google ran, or a call of an MCP server, failed. */
function hasFailed({ outcome, response }: Fields): boolean {
  const { error, isError } = fieldsOf(response);
  return (typeof outcome === "string" && outcome !== "OUTCOME_OK") || error != null || isError === true;
}

/** Gemini's fields of media, with the name of what each holds, and JAF's name of it. */
const MEDIA = [
  ["inlineData", "data", "data"],
  ["fileData", "fileUri", "url"],
] as const;

/** Media that the model generated, in its reply or its thoughts. */
function mediaPartOf(part: Fields): ContentPart | undefined {
  for (const [field, name, ownName] of MEDIA) {
    const { [field]: held, thought: _, ...further } = part;
    if (!isObject(held)) continue;
    const { mimeType, [name]: value, ...beside } = held;
    if (typeof mimeType !== "string" || typeof value !== "string") return undefined;
    const kept = Object.keys(beside).length === 0 ? further : { ...further, [field]: beside };
    const type = isThought(part) ? "reasoning-file" : "media";
    return { type, mediaType: mimeType, [ownName]: value, ...asMetadata(kept) };
  }
  return undefined;
}

/** The original Gemini parts of a content part; the text of a part that isn't from Gemini. */
export function ownPart(part: ContentPart): readonly Fields[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textsOf(part);
    case "provider-tool-call":
    case "provider-tool-result": {
      const { field, ...further } = metadataIn(part);
      const held = part.type === "provider-tool-call" ? part["input"] : part["output"];
      return typeof field === "string" ? [{ [field]: held, ...further }] : [];
    }
    case "media":
    case "reasoning-file":
      return ownMedia(part);
    case "source":
      return [];
    case "gemini":
      return isObject(part["part"]) ? [part["part"]] : [];
    default: {
      const text = part.type === "refusal" ? part["refusal"] : partText(part);
      return typeof text === "string" && text !== "" ? [{ text }] : [];
    }
  }
}

function ownMedia(part: ContentPart): readonly Fields[] {
  const { inlineData, fileData, ...further } = metadataIn(part);
  const { mediaType: mimeType, data, url } = part as Fields;
  const thought = part.type === "reasoning-file" ? { thought: true } : {};
  if (typeof data === "string" || data instanceof Uint8Array)
    return [
      { inlineData: { ...fieldsOf(inlineData), mimeType, data: base64Of(data) }, ...thought, ...further },
    ];
  if (url === undefined) return [];
  return [{ fileData: { ...fieldsOf(fileData), mimeType, fileUri: String(url) }, ...thought, ...further }];
}
