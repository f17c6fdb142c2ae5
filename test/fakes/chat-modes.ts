import { isDeepStrictEqual } from "node:util";
import { fieldsOf, listOf, type Refusal, type WireMessage } from "./chat-request.ts";

/**
 * The service whose rules apply in addition to those for messages and tools:
 * - `openai`: only fields of the reference, no `max_tokens` for reasoning models, audio by its id, call ids of at most 40
 *   characters
 * - `deepseek`: a non-empty `reasoning_content` in every model turn, and no JSON schema
 * - `gemini`: no unknown field, and a thought signature on the first call of each step
 * - `openrouter`: call ids that are unique in the request, and its own reasoning details
 *
 * A mode's own values (`reasoning_content`, signatures, details) must come back byte for byte, in their places.
 */
export type ChatMode = "openai" | "deepseek" | "gemini" | "openrouter";

export type Fields = Readonly<Record<string, unknown>>;

/** The messages that the service has sent, by the ids of their calls, or else by their content. */
export interface Issued {
  readonly add: (message: Fields) => void;
  readonly find: (message: WireMessage) => Fields | undefined;
}

const keyOf = (message: Fields): string => {
  const ids = listOf(message["tool_calls"]).map((call) => fieldsOf(call)["id"]);
  return JSON.stringify(ids.length > 0 ? ids : (message["content"] ?? null));
};

export function openIssued(): Issued {
  const messages = new Map<string, Fields>();
  return {
    add: (message) => void messages.set(keyOf(message), message),
    find: (message) => messages.get(keyOf(message)),
  };
}

type ModeRule = (messages: readonly WireMessage[], issued: Issued, body: Fields) => Refusal | undefined;

const BODY_FIELDS: ReadonlySet<string> = new Set([
  ...["messages", "model", "audio", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens"],
  ...["max_tokens", "metadata", "modalities", "n", "parallel_tool_calls", "prediction", "presence_penalty"],
  ...["prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier"],
  ...[
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
  ],
  ...["user", "verbosity", "web_search_options"],
]);

const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "audio",
    "annotations",
    "function_call",
  ],
]);

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function", "custom"]);

const unknownIn = (fields: Fields, known: ReadonlySet<string>): string | undefined =>
  Object.keys(fields).find((field) => !known.has(field));

function unknownField(
  messages: readonly WireMessage[],
  callFields: ReadonlySet<string>,
): Refusal | undefined {
  for (const [index, message] of messages.entries()) {
    const calls = listOf(message.tool_calls).map(fieldsOf);
    const unknown =
      unknownIn(message, MESSAGE_FIELDS) ?? calls.map((call) => unknownIn(call, callFields)).find(Boolean);
    if (unknown !== undefined)
      return {
        message: `Unknown name "${unknown}" at messages[${index}].`,
        param: `messages[${index}].${unknown}`,
      };
  }
  return undefined;
}

const openai: ModeRule = (messages, issued, body) => {
  const unknown = unknownIn(body, BODY_FIELDS);
  if (unknown !== undefined) return { message: `Unknown parameter: '${unknown}'.`, param: unknown };
  if (body["max_tokens"] !== undefined && /^(o\d|gpt-5)/.test(String(body["model"])))
    return {
      message: "Unsupported parameter: 'max_tokens'.",
      param: "max_tokens",
      code: "unsupported_parameter",
    };
  if (body["stream_options"] !== undefined && body["stream"] !== true)
    return { message: "'stream_options' is only allowed when 'stream' is enabled.", param: "stream_options" };
  const odd = messages.find(
    ({ audio }) => audio !== undefined && !isDeepStrictEqual(Object.keys(fieldsOf(audio)), ["id"]),
  );
  if (odd !== undefined) return { message: "Invalid 'audio'.", param: "messages" };
  const long = callsOf(messages).some(({ id }) => String(id).length > 40);
  if (long)
    return { message: "Invalid 'tool_calls[0].id': string too long.", code: "string_above_max_length" };
  return unknownField(messages, CALL_FIELDS) ?? changed(messages, issued, ["refusal"]);
};

const callsOf = (messages: readonly WireMessage[]): readonly Fields[] =>
  messages.flatMap(({ tool_calls }) => listOf(tool_calls)).map(fieldsOf);

const turns = (messages: readonly WireMessage[]): readonly WireMessage[] =>
  messages.filter(({ role }) => role === "assistant");

/** A changed field of the service's own message. */
function changed(
  messages: readonly WireMessage[],
  issued: Issued,
  fields: readonly string[],
): Refusal | undefined {
  for (const message of turns(messages)) {
    const own = issued.find(message);
    if (own === undefined) continue;
    const field = fields.find((name) => own[name] != null && !isDeepStrictEqual(message[name], own[name]));
    if (field !== undefined) return { message: `'${field}' is not what the model gave.`, param: field };
  }
  return undefined;
}

const deepseek: ModeRule = (messages, issued, body) => {
  if (fieldsOf(body["response_format"])["type"] === "json_schema")
    return { message: "This response_format type is unavailable now" };
  const bare = turns(messages).some(({ reasoning_content: text }) => typeof text !== "string" || text === "");
  return bare
    ? { message: "The `reasoning_content` in the thinking mode must be passed back to the API." }
    : changed(messages, issued, ["reasoning_content"]);
};

const signatureOf = (call: unknown): unknown =>
  fieldsOf(fieldsOf(fieldsOf(call)["extra_content"])["google"])["thought_signature"];

const gemini: ModeRule = (messages, issued) => {
  const unknown = unknownField(messages, new Set([...CALL_FIELDS, "extra_content"]));
  if (unknown !== undefined) return unknown;
  for (const message of turns(messages)) {
    const [first] = listOf(message.tool_calls);
    if (first === undefined) continue;
    const own = issued.find(message);
    const given =
      own === undefined ? "skip_thought_signature_validator" : signatureOf(listOf(own["tool_calls"])[0]);
    const sent = signatureOf(first);
    if (sent === undefined)
      return { message: "Function call is missing a thought_signature in functionCall parts." };
    if (sent !== given) return { message: "Corrupted thought signature." };
  }
  return undefined;
};

const openrouter: ModeRule = (messages, issued) => {
  const ids = callsOf(messages).map(({ id }) => id);
  return new Set(ids).size < ids.length
    ? { message: "`tool_use` ids must be unique" }
    : changed(messages, issued, ["reasoning_details", "annotations"]);
};

const RULES: Readonly<Record<ChatMode, ModeRule>> = { openai, deepseek, gemini, openrouter };

export const brokenModeRule = (mode: ChatMode, ...request: Parameters<ModeRule>): Refusal | undefined =>
  RULES[mode](...request);
