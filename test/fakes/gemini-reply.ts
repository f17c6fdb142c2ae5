import { randomBytes } from "node:crypto";
import { halves } from "./anthropic-reply.ts";
import type { PartKey } from "./came-back.ts";
import { canonical } from "./canonical.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { isObject, type Json, type JsonObject } from "./service.ts";

interface PartOptions {
  readonly owner: Owner;
  readonly opaque: OpaqueValues;
}

/** The call, the search or the text that a signature is bound to. */
export function signedContent(part: JsonObject): string {
  const { functionCall: call, toolCall, toolResponse } = part;
  if (isObject(call)) return `call: ${call["name"]} ${canonical(call["args"] ?? {})}`;
  const search = toolCall ?? toolResponse;
  return search === undefined ? `text: ${String(part["text"])}` : `search: ${canonical(search)}`;
}

export function partsOf(reply: ScriptedReply, { owner, opaque }: PartOptions): readonly JsonObject[] {
  const sign = (part: JsonObject): JsonObject => ({
    ...part,
    thoughtSignature: opaque.issue(owner, signedContent(part)),
  });
  const thoughts = (reply.thoughts ?? []).flatMap((thought): readonly JsonObject[] =>
    thought === "" ? [] : [{ text: thought, thought: true }],
  );
  const searches = (reply.searches ?? []).flatMap((query): readonly JsonObject[] => {
    const tool = { id: randomBytes(4).toString("hex"), toolType: "GOOGLE_SEARCH_WEB" };
    return [
      sign({ toolCall: { ...tool, args: { queries: [query] } } }),
      sign({ toolResponse: { ...tool, response: { search_suggestions: query } } }),
    ];
  });
  const calls = (reply.calls ?? []).map(
    ({ name, input }): JsonObject => ({
      functionCall: { id: randomBytes(8).toString("hex"), name, args: input },
    }),
  );
  const text = reply.text === undefined ? [] : [{ text: reply.text }];
  const [first, ...others] = calls;
  // On the first call or, without calls, on the last part.
  if (first !== undefined) return [...thoughts, ...searches, ...text, sign(first), ...others];
  return [...thoughts, ...searches, ...text.map(sign)];
}

/** Cites a page for the text of a reply that has searched. */
function groundingOf(parts: readonly JsonObject[]): JsonObject {
  const said = parts
    .map(({ text, thought }) => (typeof text === "string" && thought !== true ? text : ""))
    .join("");
  if (said === "" || !parts.some((part) => "toolCall" in part)) return {};
  const segment = { endIndex: Buffer.byteLength(said), text: said };
  return {
    groundingMetadata: {
      groundingChunks: [{ web: { uri: "https://found.example/", title: "found.example" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    },
  };
}

export function keyOf(role: string, part: JsonObject): PartKey {
  const { functionCall: call, functionResponse: response, text, thoughtSignature: signature } = part;
  const search = part["toolCall"] ?? part["toolResponse"];
  const whole = (...fields: readonly (Json | undefined)[]) => JSON.stringify([role, ...fields]);
  if (isObject(call)) return { mark: whole("call", call["id"]), whole: whole(canonical(call), signature) };
  if (isObject(response)) return { whole: whole("response", response["id"]) };
  if (isObject(search))
    return {
      mark: whole("search", search["id"], "args" in search),
      whole: whole(canonical(search), signature),
    };
  return { mark: whole("text", text), whole: whole("text", text, signature) };
}

export const isSigned = (part: JsonObject): boolean => part["thoughtSignature"] !== undefined;

/** `last`: further fields of the last response's candidate. */
const messageOf = (
  model: string,
  parts: readonly JsonObject[],
  last: JsonObject | undefined,
): JsonObject => ({
  candidates: [
    {
      index: 0,
      content: { role: "model", parts },
      ...(last === undefined ? {} : { finishReason: "STOP", ...last }),
    },
  ],
  ...(last !== undefined
    ? {
        usageMetadata: {
          promptTokenCount: 100,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 10,
          totalTokenCount: 130,
        },
      }
    : {}),
  modelVersion: model,
});

export const candidateOf = (model: string, parts: readonly JsonObject[]): JsonObject =>
  messageOf(model, parts, groundingOf(parts));

/** One chunk for each part, and two for a text, the second with the signature. */
export function chunksOf(model: string, parts: readonly JsonObject[]): readonly JsonObject[] {
  const pieces = parts.flatMap((part) => {
    const { text, thoughtSignature: signature, ...rest } = part;
    if (typeof text !== "string") return [part];
    const texts = halves(text);
    return texts.map((half, index) => ({
      ...rest,
      text: half,
      ...(index === texts.length - 1 && signature !== undefined ? { thoughtSignature: signature } : {}),
    }));
  });
  return pieces.map((piece, index) =>
    messageOf(model, [piece], index === pieces.length - 1 ? groundingOf(parts) : undefined),
  );
}
