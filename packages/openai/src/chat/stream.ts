import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { lastChunks } from "../sources.ts";
import { mergePiece } from "./message.ts";
import { completionOf, throwReported } from "./reply.ts";

/**
 * Yields the chunks of a stream; the last one is `done`. A stream is complete after `[DONE]`, or after a finish reason,
 * since some endpoints omit `[DONE]`. Throws an `OpenAIError` if it ends earlier.
 */
export async function* chatChunksOf(
  events: AsyncIterable<string>,
  request: OpenAIRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const reply = replyPieces(request);
  for await (const data of events) {
    if (data === "[DONE]") {
      yield* reply.end();
      return;
    }
    yield* reply.add(data);
  }
  if (!reply.isWhole()) throw errors.cut(request.origin.provider);
  yield* reply.end();
}

/** Collects the pieces of a streamed reply. */
interface ReplyPieces {
  /** Returns an event's chunks. Throws an `OpenAIError` if the event reports an error or isn't valid. */
  readonly add: (data: string) => readonly ModelStreamChunk[];
  readonly isWhole: () => boolean;
  /** Returns the sources and the `done` chunk. */
  readonly end: () => readonly ModelStreamChunk[];
}

function replyPieces(request: OpenAIRequest): ReplyPieces {
  const { origin, names } = request;
  const message: Record<string, unknown> = {};
  const content = contentPieces();
  const calls = callPieces();
  const body: Record<string, unknown> = {};
  const choice: Record<string, unknown> = {};
  let chosen: unknown;
  let hasBegun = false;

  /** Finds the pieces of the choice that came first: there are several with `n`. */
  const choiceIn = (choices: unknown): Fields => {
    const sent = listOf(choices).map(fieldsOf);
    chosen ??= sent[0]?.["index"];
    return sent.find(({ index }) => (index ?? chosen) === chosen) ?? {};
  };

  const addDelta = (delta: Fields): readonly ModelStreamChunk[] => {
    const { content: piece, tool_calls, ...further } = delta;
    mergePiece(message, further);
    const { text: written, reasoning } = content.add(piece);
    const text = written || textOf(fieldsOf(delta["audio"])["transcript"]);
    const thought = reasoning + reasoningIn(further);
    const chunks: ModelStreamChunk[] = [];
    if (thought !== "") chunks.push({ type: "reasoning_delta", text: thought });
    if (text !== "") chunks.push({ type: "text_delta", text });
    for (const call of listOf(tool_calls)) {
      const chunk = calls.add(call);
      if (chunk === undefined) continue;
      chunks.push(chunk.name === undefined ? chunk : { ...chunk, name: names.toOwn(chunk.name) });
    }
    return chunks;
  };

  const whole = (): Fields => {
    const called = calls.whole();
    return { ...message, content: content.whole(), ...(called.length === 0 ? {} : { tool_calls: called }) };
  };

  return {
    add: (data) => {
      const event = parseJson(data);
      throwReported(event, origin.provider);
      if (!isObject(event)) throw errors.malformed(origin.provider, "an event that is not JSON");
      const { choices, ...ofBody } = event;
      const { delta, message: sent, logprobs, ...ofChoice } = choiceIn(choices);
      replaceFields(body, ofBody);
      replaceFields(choice, ofChoice);
      mergePiece(choice, { logprobs });
      // A few endpoints send the whole reply in one event. MiniMax sends it behind its pieces, too.
      const piece = fieldsOf(delta ?? (hasBegun ? undefined : sent));
      hasBegun ||= isObject(delta);
      return addDelta(piece);
    },
    isWhole: () => typeof choice["finish_reason"] === "string",
    end: () => lastChunks(completionOf({ body, choice, message: whole() }, request)),
  };
}

/**
 * Sets the fields of an event that say something. Each event repeats them or adds some, also within an object (Azure's
 * filters), so the last value counts.
 */
function replaceFields(known: Record<string, unknown>, sent: Fields): void {
  for (const [field, value] of Object.entries(sent))
    if (value !== null && value !== undefined && value !== "")
      known[field] = isObject(value) ? { ...fieldsOf(known[field]), ...value } : value;
}

/** The reasoning in the fields of DeepSeek, vLLM and OpenRouter. */
function reasoningIn(delta: Fields): string {
  return textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The text and reasoning of a piece of content. */
interface Spoken {
  readonly text: string;
  readonly reasoning: string;
}

/** Collects the content of a streamed reply: text, or parts if the endpoint streams parts (Mistral). */
interface ContentPieces {
  readonly add: (content: unknown) => Spoken;
  /** `null` without any content. */
  readonly whole: () => string | readonly Fields[] | null;
}

const textIn = (part: Fields): string => textOf(part["text"]);

const thoughtIn = ({ thinking }: Fields): string =>
  textOf(thinking) ||
  listOf(thinking)
    .map((piece) => textIn(fieldsOf(piece)))
    .join("");

/** Adds a part. Texts in a row become one, and so do pieces of thinking. */
function addPart(parts: Record<string, unknown>[], part: Fields): void {
  const last = parts.at(-1);
  const type = last?.["type"] === part["type"] ? part["type"] : undefined;
  if (last !== undefined && type === "text") last["text"] = textIn(last) + textIn(part);
  else if (last !== undefined && type === "thinking") {
    const { thinking: before } = last;
    const pieces = listOf(before).map((piece) => ({ ...fieldsOf(piece) }));
    for (const piece of listOf(part["thinking"])) addPart(pieces, fieldsOf(piece));
    const thinking = typeof before === "string" ? before + thoughtIn(part) : pieces;
    Object.assign(last, part, { thinking });
  } else parts.push({ ...part });
}

function contentPieces(): ContentPieces {
  let text: string | undefined;
  const parts: Record<string, unknown>[] = [];

  return {
    add: (content) => {
      if (typeof content === "string") {
        if (parts.length > 0 && content !== "") addPart(parts, { type: "text", text: content });
        else text = (text ?? "") + content;
        return { text: content, reasoning: "" };
      }
      const pieces = listOf(content).filter(isObject);
      if (pieces.length > 0 && text) addPart(parts, { type: "text", text });
      if (pieces.length > 0) text = undefined;
      for (const part of pieces) addPart(parts, part);
      return { text: pieces.map(textIn).join(""), reasoning: pieces.map(thoughtIn).join("") };
    },
    whole: () => (parts.length > 0 ? parts : (text ?? null)),
  };
}

type CallDelta = Extract<ModelStreamChunk, { readonly type: "tool_call_delta" }>;

/** Collects the calls of a streamed reply with all their fields. */
interface CallPieces {
  /** Returns the chunk of a piece of a call. */
  readonly add: (call: unknown) => CallDelta | undefined;
  readonly whole: () => readonly Fields[];
}

interface Call {
  readonly index: unknown;
  readonly fields: Record<string, unknown>;
}

function callPieces(): CallPieces {
  const calls: Call[] = [];

  /**
   * Finds the call by index, else by id, else the latest. Gemini gives several calls the same index, and older versions
   * give them no ids: there, whole arguments end a call.
   */
  const placeOf = (index: unknown, id: string, begins: boolean): number => {
    const hasIndex = index !== undefined && index !== null;
    if (!hasIndex && id !== "") return calls.findLastIndex(({ fields }) => fields["id"] === id);
    const at = hasIndex ? calls.findLastIndex((call) => call.index === index) : calls.length - 1;
    const fields = fieldsOf(calls[at]?.fields);
    const known = textOf(fields["id"]);
    if (id !== "") return known !== "" && known !== id ? -1 : at;
    return known === "" && begins && isObject(parseJson(inputIn(fields))) ? -1 : at;
  };

  return {
    add: (call) => {
      if (!isObject(call)) return undefined;
      const { index, ...sent } = call;
      const fields = withTextArguments(sent);
      const id = textOf(fields["id"]);
      const name = textOf(calledIn(fields)["name"]);
      const piece = inputIn(fields);
      let at = placeOf(index, id, name !== "" && piece !== "");
      // Some endpoints end with a piece of a call that has nothing.
      if (at === -1 && !(id || name || piece)) return undefined;
      if (at === -1) at = calls.push({ index, fields: {} }) - 1;
      const known = calls[at]?.fields ?? {};
      const before = inputIn(known);
      mergePiece(known, fields);
      const text = inputIn(known).slice(before.length);
      return {
        type: "tool_call_delta",
        index: at,
        ...(id === "" ? {} : { id }),
        ...(name === "" ? {} : { name }),
        ...(text === "" ? {} : { arguments: text }),
      };
    },
    whole: () => calls.map(({ fields }) => fields),
  };
}

const calledIn = (call: Fields): Fields => fieldsOf(call["function"] ?? call["custom"]);

/** The input of a call so far. */
function inputIn(call: Fields): string {
  const { arguments: text, input = text } = calledIn(call);
  return textOf(input);
}

/** Some local models send decoded objects. */
function withTextArguments(fields: Fields): Fields {
  const called = fields["function"];
  if (!isObject(called) || !isObject(called["arguments"])) return fields;
  return { ...fields, function: { ...called, arguments: JSON.stringify(called["arguments"]) } };
}
