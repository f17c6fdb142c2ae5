import type { ModelCompletion } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { base64Of, bytesIn, partText } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isObject, parseJson, textInputIn } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";

/**
 * The reply's message unchanged, except that calls get the names of the agent's tools. Throws an `OpenAIError` for a call
 * of a configured tool that no tool of the agent executes.
 */
export function messageOf(sent: Fields, request: OpenAIRequest): NonNullable<ModelCompletion["message"]> {
  const { content: written, tool_calls: calls } = sent;
  const { transcript: text } = fieldsOf(sent["audio"]);
  // What audio says is for readers: it goes back as the audio alone.
  const content = text && !written ? [{ type: "text", text, providerMetadata: SILENT }] : written;
  return {
    ...sent,
    content: typeof content === "string" ? content : isParts(content) ? withWholeTexts(content) : null,
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call: unknown) => ownCall(fieldsOf(call), request)) }
      : {}),
  };
}

/** The metadata of a part that isn't sent back. */
const SILENT = { openai: { parts: [] } };

const isParts = (content: unknown): content is readonly ContentPart[] =>
  Array.isArray(content) &&
  content.every((part: unknown) => isObject(part) && typeof part["type"] === "string");

const TEXTS: ReadonlySet<string> = new Set(["text", "reference"]);

/** Joins texts in a row, with Mistral's references between them, to one part. Its metadata holds the parts as they came. */
function withWholeTexts(parts: readonly ContentPart[]): readonly ContentPart[] {
  const rows: ContentPart[][] = [];
  for (const part of parts) {
    const row = rows.at(-1);
    if (TEXTS.has(part.type) && row?.every(({ type }) => TEXTS.has(type))) row.push(part);
    else rows.push([part]);
  }
  return rows.flatMap((row) => {
    const texts = row.map(partText).filter((text) => text !== undefined);
    if (texts.length < 2) return row;
    return { type: "text", text: texts.join(""), providerMetadata: { openai: { parts: row } } };
  });
}

function ownCall(call: Fields, { names, textFunctions, unsupplied, origin }: OpenAIRequest): Fields {
  const kind = call["type"] === "custom" ? "custom" : "function";
  const called = call[kind];
  // The engine reports invalid calls.
  if (!isObject(called) || typeof called["name"] !== "string") return call;
  const name = names.toOwn(called["name"]);
  if (unsupplied?.has(name)) throw errors.withoutTool(name, origin.provider);
  if (kind === "function" && textFunctions.has(name)) {
    const { function: _, ...rest } = call;
    return { ...rest, type: "custom", custom: { name, input: textInputIn(called["arguments"]) } };
  }
  return name === called["name"] ? call : { ...call, [kind]: { ...called, name } };
}

type Merged = Record<string, unknown>;

/** Fields that each piece repeats completely. */
const WHOLE: ReadonlySet<string> = new Set([
  ...["id", "type", "role", "name", "format", "signature", "thought_signature", "mime_type", "media_type"],
]);

/**
 * Adds a piece of a streamed message: texts and lists are appended, objects merged, other values replaced. List entries
 * with the same `index` are merged.
 */
export function mergePiece(message: Merged, piece: Fields): void {
  for (const [field, value] of Object.entries(piece)) message[field] = merged(field, message[field], value);
}

function merged(field: string, before: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return before === undefined ? value : before;
  if (before === undefined || before === null) return copied(field, value);
  if (typeof before === "string" && typeof value === "string") return mergedText(field, before, value);
  if (Array.isArray(before) && Array.isArray(value)) return mergedList(field, before, value);
  if (isObject(before) && isObject(value)) {
    const object: Merged = { ...before };
    mergePiece(object, value);
    return object;
  }
  return value;
}

/** Entries within one list may need merging, too. */
const copied = (field: string, value: unknown): unknown =>
  Array.isArray(value) ? mergedList(field, [], value) : value;

function mergedText(field: string, before: string, value: string): string {
  if (WHOLE.has(field)) return value === "" ? before : value;
  // Some endpoints send the whole arguments again behind their pieces, or behind an empty object.
  if (field === "arguments" && isObject(parseJson(value)) && isObject(parseJson(before))) return value;
  return field === "data" ? joinedBase64(before, value) : before + value;
}

/** Pieces of audio are encoded separately: after padding (`=`), they must be decoded before joining. */
function joinedBase64(before: string, value: string): string {
  if (!before.endsWith("=")) return before + value;
  const [head, tail] = [bytesIn(before), bytesIn(value)];
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return base64Of(joined);
}

function mergedList(
  field: string,
  before: readonly unknown[],
  pieces: readonly unknown[],
): readonly unknown[] {
  const list = [...before];
  for (const piece of pieces) {
    const at = placeOf(field, list, piece);
    if (at === -1) list.push(piece);
    else list[at] = merged(field, list[at], piece);
  }
  return list;
}

/** The index of the entry that the piece continues; -1 for a new entry. */
function placeOf(field: string, list: readonly unknown[], piece: unknown): number {
  if (!isObject(piece)) return -1;
  // LiteLLM's thinking blocks have no index: a block continues until it is signed.
  if (field === "thinking_blocks") return isOpenThinking(list.at(-1), piece) ? list.length - 1 : -1;
  const { index, type, id } = piece;
  // Encrypted reasoning and images are never split, and OpenRouter gives several entries the same index.
  if (typeof index !== "number" || type === "reasoning.encrypted" || type === "image_url") return -1;
  return list.findLastIndex((entry) => {
    const known = fieldsOf(entry);
    return known["index"] === index && isSameOrUnsaid(known["type"], type) && isSameOrUnsaid(known["id"], id);
  });
}

const isSameOrUnsaid = (known: unknown, said: unknown): boolean =>
  known === said || known === undefined || known === null || said === undefined || said === null;

const isOpenThinking = (last: unknown, piece: Fields): boolean =>
  fieldsOf(last)["type"] === "thinking" && !fieldsOf(last)["signature"] && piece["type"] === "thinking";
