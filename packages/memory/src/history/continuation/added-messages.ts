import { decodeJson, deepFreeze, encodeJson } from "../../codec/json.ts";
import { type ContentPart, type Message, messageRoles, type RichMessage } from "../../contract/message.ts";
import { type Fields, isFields } from "../../runtime/objects.ts";
import { isProviderField, isProviderPartField, isRole, roleOf } from "./same-message.ts";
import { type ContinuationRejection, type ContinuationRejectionCode, reject } from "./validation-result.ts";

export interface AddedMessagesRules {
  readonly strict: boolean;
  readonly persisted: readonly Message[];
  /** The ids of the pending calls at the end of the stored history. */
  readonly pending: ReadonlySet<string>;
  /** The ids of the pending calls for which the client may send a result. */
  readonly answerable: ReadonlySet<string>;
}

export type AddedMessages =
  | {
      readonly ok: true;
      /** The accepted tool results by call id, in the order in which the client sent them. */
      readonly results: ReadonlyMap<string, Message>;
      readonly added: readonly Message[];
    }
  | ContinuationRejection;

/**
 * Checks and copies the messages that a client added after its copy of the history. The added messages begin at index
 * `start` of `incoming`.
 */
export function readAddedMessages(
  incoming: readonly unknown[],
  start: number,
  rules: AddedMessagesRules,
): AddedMessages {
  const results = new Map<string, Message>();
  const added: Message[] = [];
  const checkResult = createResultCheck(rules);
  for (let index = start; index < incoming.length; index++) {
    const message = readMessage(incoming[index]);
    if (typeof message === "string") return reject(message, index);
    if (message.role === "tool") {
      const id = message.tool_call_id ?? "";
      const verdict = checkResult(id, { isAnswered: results.has(id), isBehindUser: added.length > 0 });
      if (verdict === "take") results.set(id, message);
      else if (verdict !== "ignore") return reject(verdict, index);
    } else {
      if (message.role === "assistant" && rules.strict) return reject("forged-assistant-message", index);
      added.push(message);
    }
  }
  return { ok: true, results, added: Object.freeze(added) };
}

/**
 * Returns a frozen copy of a client's message, or a rejection code:
 *
 * - `forbidden-role`: the role is a text, but not `user`, `assistant` or `tool`.
 * - `malformed-message`: the value isn't a message, or has a field of another role (e.g. tool calls in a user message).
 * - `forged-part`: the message contains data that a client must not send (see `holdsForeignParts`).
 */
function readMessage(value: unknown): Message | ContinuationRejectionCode {
  // Each field is read only once, so that a getter that returns different values can't bypass the check.
  try {
    const role = roleOf(value);
    if (typeof role === "string" && !isRole(role)) return "forbidden-role";
    const copy = decodeJson(encodeJson(value));
    if (!isMessage(copy)) return "malformed-message";
    const message = copy as Message;
    if (hasForeignFields(message)) return "malformed-message";
    return holdsForeignParts(message) ? "forged-part" : deepFreeze(message);
  } catch {
    return "malformed-message"; // Not JSON, or a getter or proxy threw.
  }
}

const hasForeignFields = ({ role, tool_calls: calls, tool_call_id: id }: Message): boolean =>
  (role !== "assistant" && (calls?.length ?? 0) > 0) || (role !== "tool" && id != null);

interface ResultPosition {
  /** Whether an earlier message of the same request has already answered the call. */
  readonly isAnswered: boolean;
  readonly isBehindUser: boolean;
}

type ResultCheck = (id: string, position: ResultPosition) => "take" | "ignore" | ContinuationRejectionCode;

function createResultCheck({ strict, persisted, pending, answerable }: AddedMessagesRules): ResultCheck {
  const known = knownCalls(persisted);
  return (id, { isAnswered, isBehindUser }) => {
    if (!pending.has(id)) {
      const { called, answered } = known();
      if (strict) return answered.has(id) ? "duplicate-tool-result" : "forged-tool-result";
      return called.has(id) ? "ignore" : "forged-tool-result";
    }
    if (!answerable.has(id)) return "forged-tool-result";
    if (isAnswered) return strict ? "duplicate-tool-result" : "ignore";
    return strict && isBehindUser ? "misplaced-tool-result" : "take";
  };
}

interface KnownCalls {
  readonly called: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
}

/** Returns a function that returns the calls in the stored history. */
function knownCalls(persisted: readonly Message[]): () => KnownCalls {
  // The calls are only computed when it is called, because only the rejection of an invalid request needs them.
  let known: KnownCalls | undefined;
  return () => {
    known ??= {
      called: new Set(persisted.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id))),
      answered: new Set(
        persisted.flatMap(({ role, tool_call_id: id }) => (role === "tool" && id ? [id] : [])),
      ),
    };
    return known;
  };
}

const MEDIA_TYPES = [
  ...["media", "image", "image_url", "input_image", "audio", "audio_url", "input_audio"],
  ...["video", "video_url", "input_video", "file", "file_url", "input_file", "document"],
];

const USER_TYPES: ReadonlySet<string> = new Set(["text", "input_text", ...MEDIA_TYPES]);

const ASSISTANT_TYPES: ReadonlySet<string> = new Set([
  ...USER_TYPES,
  ...["output_text", "refusal", "tool-call"],
]);

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "index", "function", "custom"]);

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "arguments", "input"]);

const has = (value: object, isMeant: (key: string) => boolean): boolean =>
  Object.entries(value).some(([key, field]) => field !== undefined && field !== null && isMeant(key));

/**
 * Whether a client's message contains data that a client must not send:
 *
 * - a field that only a model provider writes (e.g. reasoning),
 * - a part that is neither text nor media, except refusals and places of calls in an assistant message,
 * - an additional field in a tool call.
 */
function holdsForeignParts(message: Message): boolean {
  const { role, content, tool_calls: calls }: RichMessage = message;
  const types = role === "assistant" ? ASSISTANT_TYPES : USER_TYPES;
  const isForeign = (part: ContentPart) => !types.has(part.type) || has(part, isProviderPartField);
  return (
    has(message, isProviderField) ||
    (Array.isArray(content) && content.some(isForeign)) ||
    (calls ?? []).some(isForeignCall)
  );
}

const isForeignCall = (call: Fields): boolean =>
  has(call, (key) => !CALL_FIELDS.has(key)) || [call["function"], call["custom"]].some(isForeignFunction);

const isForeignFunction = (called: unknown): boolean =>
  typeof called === "object" && called !== null && has(called, (key) => !FUNCTION_FIELDS.has(key));

const isTextOrNone = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";

const areTexts = (value: unknown, first: string, second: string): boolean =>
  isFields(value) && typeof value[first] === "string" && typeof value[second] === "string";

function isCall(call: unknown): boolean {
  if (!isFields(call) || typeof call["id"] !== "string") return false;
  if (call["type"] === "custom") return areTexts(call["custom"], "name", "input");
  return isTextOrNone(call["type"]) && areTexts(call["function"], "name", "arguments");
}

const isPart = (part: unknown): boolean => isFields(part) && typeof part["type"] === "string";

/** Whether a JSON value is a message, by the rules of `messageSchema`, but without zod. */
export function isMessage(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { role, content, tool_call_id: id, tool_calls: calls } = value;
  return (
    (messageRoles as readonly unknown[]).includes(role) &&
    (typeof content === "string" || content === null || (Array.isArray(content) && content.every(isPart))) &&
    isTextOrNone(id) &&
    (calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isCall)))
  );
}
