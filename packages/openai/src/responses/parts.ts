import type { ContentPart } from "@jaf/memory";
import { jsonIn } from "@jaf/memory/internal";
import { collectSources, type Fields, fieldsOf, isObject, listOf, picked } from "@jaf/model-http";
import { citationsIn, pagesIn } from "../sources.ts";
import { type Before, isOutputOf } from "./calls.ts";
import { type ItemMetadata, OTHER_ITEM, withMetadata } from "./items.ts";
import { reasoningPart } from "./reasoning.ts";

/** Turns the output items that ask the application for nothing into parts. */
export interface PartReader {
  /** Returns an item's parts, in order and with all fields, and the sources that it names. */
  readonly partsOf: (item: Fields, before: Before) => readonly ContentPart[];
  /** Returns the result of a call of the service's own that no item answers; nothing if the service may still answer. */
  readonly untoldResult: (call: Fields) => readonly ContentPart[];
}

/** `items`: the items of the reply so far. A stream adds to them. */
export function partReader(items: readonly Fields[]): PartReader {
  const sources = collectSources();

  const untoldResult: PartReader["untoldResult"] = (call) => {
    const id = partId(call);
    const isAnswered = items.some((item) => isOutputOf(item, call));
    // A program goes on in a later reply.
    if (
      id === undefined ||
      !mayHaveOutput(call) ||
      isAnswered ||
      call === items.at(-1) ||
      call["type"] === PROGRAM
    )
      return [];
    return [resultPart(id, call)];
  };

  const partsOf: PartReader["partsOf"] = (item, before) => {
    const { type } = item;
    if (typeof type !== "string") return [];
    if (type === "reasoning") return [reasoningPart(item, before)];
    const known = type === "message" ? messageParts(item, before) : serviceParts(item, before);
    if (known !== undefined) return known;
    const kept = before.reasoningId === undefined ? {} : withMetadata({ item: {}, ...before });
    const part = OWN_TYPES.has(type) ? { type: OTHER_ITEM, item, ...kept } : { ...item, type, ...kept };
    return [part, ...sources.partsOf(pagesIn(item["results"]))];
  };

  /** The content parts of a message item, one empty text if it has none; `undefined` if the content isn't valid. */
  function messageParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
    const { type: _, role: __, content, ...rest } = item;
    // Some compatible endpoints send a string.
    const given = typeof content === "string" ? [{ type: "output_text", text: content }] : listOf(content);
    const parts = given.filter(isPart);
    if (parts.length < given.length) return undefined;
    if (parts.length === 0) {
      const { type: _type, role: _role, ...empty } = item;
      return [{ type: "text", text: "", ...withMetadata({ item: empty, ...before }) }];
    }
    return parts.flatMap((part, contentIndex) => {
      const text = typeof part["text"] === "string" ? part["text"] : "";
      return [
        messagePart(part, { item: rest, contentIndex, ...before }),
        ...sources.partsOf(citationsIn(part["annotations"], text)),
      ];
    });
  }

  /** A call or an output of the service's own tools; `undefined` for another item. */
  function serviceParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
    const calls = items.filter((other) => isOutputOf(item, other));
    // OpenAI's own searches of tools have no ids: their outputs have the same order.
    const place = items.slice(0, items.indexOf(item)).filter((other) => isSameOutput(other, item)).length;
    const call = calls[place] ?? calls.at(-1);
    const answered = call === undefined ? undefined : partId(call);
    if (answered !== undefined) return [resultPart(answered, item, withMetadata({ item, ...before }))];
    const id = partId(item);
    if (id === undefined || !/_call$|^program$/.test(String(item["type"]))) return undefined;
    const image = imagePart(item, before);
    if (image !== undefined) return [image];
    const found = sources.partsOf(pagesIn(fieldsOf(item["action"])["sources"]));
    const hasEnded = !UNENDED.has(item["status"]);
    const result = mayHaveOutput(item) ? untoldResult(item) : hasEnded ? [resultPart(id, item)] : [];
    return [callPart(id, item, before), ...result, ...found];
  }

  return { partsOf, untoldResult };
}

/** Types of parts that have a meaning in JAF. */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  ...["text", "refusal", "media", "source", "tool-call", "provider-tool-call", "provider-tool-result"],
  OTHER_ITEM,
]);

/** The statuses of a call that the service is still running. */
const UNENDED: ReadonlySet<unknown> = new Set([
  ...["in_progress", "searching", "interpreting", "generating", "calling"],
]);

const partId = ({ id, call_id }: Fields): string | undefined =>
  [id, call_id].find((each) => typeof each === "string" && each !== "") as string | undefined;

const isSameOutput = (one: Fields, other: Fields): boolean =>
  one["type"] === other["type"] && one["call_id"] === other["call_id"];

const PROGRAM = "program";

/** With a `call_id`, another item can hold the output. */
const mayHaveOutput = (item: Fields): boolean => "call_id" in item;

/** A call for display. Its metadata holds the whole item. */
function callPart(id: string, item: Fields, before: Before): ContentPart {
  const name = nameOf(item);
  const kept = withMetadata({ item, ...before });
  if (typeof item["name"] !== "string" || item["type"] === "mcp_call")
    return { type: "provider-tool-call", id, name, input: picked(item, INPUT_FIELDS), ...kept };
  const text = item["arguments"] ?? item["input"];
  const input = typeof text === "string" ? (jsonIn(text) ?? text) : text;
  return { type: "provider-tool-call", id, name, input, ...kept };
}

function resultPart(id: string, item: Fields, kept: Partial<ContentPart> = {}): ContentPart {
  const output = picked(item, OUTPUT_FIELDS);
  const failed = item["status"] === "failed" || item["error"] ? { isError: true } : {};
  return { ...kept, type: "provider-tool-result", id, name: nameOf(item), output, ...failed };
}

const nameOf = ({ type, name }: Fields): string =>
  type !== "mcp_call" && typeof name === "string" ? name : String(type).replace(/(_call)?(_output)?$/, "");

const INPUT_FIELDS = [...["action", "queries", "code", "server_label", "name", "arguments", "operation"]];
const OUTPUT_FIELDS = ["status", "results", "outputs", "output", "result", "tools", "error"];

/** A generated image as a media part. */
function imagePart(item: Fields, before: Before): ContentPart | undefined {
  const { result, ...rest } = item;
  if (item["type"] !== "image_generation_call" || typeof result !== "string" || result === "")
    return undefined;
  const format = rest["output_format"];
  const mediaType = `image/${typeof format === "string" ? format : "png"}`;
  return { type: "media", mediaType, data: result, ...withMetadata({ item: rest, ...before }) };
}

const isPart = (part: unknown): part is Fields & { readonly type: string } =>
  isObject(part) && typeof part["type"] === "string";

function messagePart(part: Fields & { readonly type: string }, metadata: ItemMetadata): ContentPart {
  const { type, text, refusal, ...further } = part;
  const kept = withMetadata(Object.keys(further).length === 0 ? metadata : { ...metadata, content: further });
  if (type === "output_text" && typeof text === "string") return { type: "text", text, ...kept };
  if (type === "refusal" && typeof refusal === "string") return { type, refusal, ...kept };
  return { ...part, ...withMetadata(metadata) };
}
