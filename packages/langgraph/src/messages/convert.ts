import type { Message, RichMessage, RichToolCall } from "@jaf/memory";
import { isExact, present, sameJson, thawed } from "@jaf/memory/internal";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  type MessageContent,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { blocksOf, namedArguments, partsOf } from "./parts.ts";

/** The fields of a message of LangChain. */
type Fields = Readonly<Record<string, unknown>>;

const FIELDS = [
  "content",
  "name",
  "id",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
  "role",
] as const;

const fieldsOf = (message: BaseMessage): Fields =>
  present(Object.fromEntries(FIELDS.map((field) => [field, Reflect.get(message, field) as unknown])));

/** By their names. The first ones are the usual classes of the standard roles. */
const CLASSES: Readonly<Record<string, new (fields: never) => BaseMessage>> = {
  HumanMessage,
  AIMessage,
  SystemMessage,
  ToolMessage,
  HumanMessageChunk,
  AIMessageChunk,
  SystemMessageChunk,
  ToolMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  RemoveMessage,
};

const USUAL: Readonly<Record<string, string>> = {
  human: "HumanMessage",
  ai: "AIMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
  function: "FunctionMessage",
  remove: "RemoveMessage",
};

/** Returns the name of the message's class. By its type if it is an application's own class. */
function classNameOf(message: BaseMessage): string {
  const [known] = Object.entries(CLASSES).find(([, Class]) => message.constructor === Class) ?? [];
  return known ?? USUAL[message.getType()] ?? "ChatMessage";
}

/** What the standard form of a message can't hold. Stands in the field `langchain` of the message. */
interface Remainder {
  /** The name of the class, if it isn't the usual class of the role. */
  readonly type?: string;
  /** With a `type`, all fields. Otherwise those that come back differently from the standard form. */
  readonly fields?: Fields;
}

/**
 * Converts messages of LangChain into standard messages, which every engine reads. `toBaseMessages` returns them
 * exactly: what a standard message can't hold (e.g. `usage_metadata`) stands in its field `langchain`.
 *
 * @example
 * ```ts
 * import { fromBaseMessages } from "@jaf/langgraph";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { HumanMessage } from "@langchain/core/messages";
 *
 * const messages = fromBaseMessages([new HumanMessage("Where is my order?")]);
 * await createInMemoryProvider().storeMessages("conv-123", messages, { userId: "ada" });
 * ```
 */
export const fromBaseMessages = (messages: readonly BaseMessage[]): readonly Message[] =>
  messages.map((message) => fromBaseMessage(message) as Message);

/**
 * Converts stored messages of any engine into messages of LangChain.
 *
 * @example
 * ```ts
 * import { toBaseMessages } from "@jaf/langgraph";
 * import type { MemoryProvider } from "@jaf/memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const found = await provider.getConversation("conv-123");
 * if (found.success) console.log(toBaseMessages(found.data?.messages ?? []));
 * ```
 */
export const toBaseMessages = (messages: readonly Message[]): BaseMessage[] =>
  messages.map((message: RichMessage) => {
    const { type, fields } = (message["langchain"] ?? {}) as Remainder;
    if (type !== undefined) return create(type, thawed(fields ?? {}));
    const standard = standardMessage(message);
    return create(standard.type, { ...standard.fields, ...thawed(fields) });
  });

function create(type: string, fields: Fields): BaseMessage {
  const Class = (Object.hasOwn(CLASSES, type) ? CLASSES[type] : undefined) ?? HumanMessage;
  const known = Object.fromEntries(
    FIELDS.flatMap((field) => (field in fields ? [[field, fields[field]]] : [])),
  );
  const message = new Class({ ...known } as never);
  // Constructors derive some fields from others.
  return Object.assign(message, known);
}

const empty = { additional_kwargs: {}, response_metadata: {} };

/** Converts the standard form of a message, without its field `langchain`. */
function standardMessage(message: RichMessage): { readonly type: string; readonly fields: Fields } {
  const { role, content, tool_calls: given, id, name, tool_call_id } = message;
  const calls = given ?? [];
  const converted = Array.isArray(content) ? thawed(blocksOf(content, calls)) : (content ?? "");
  const fields = { ...empty, content: converted, ...present({ id, name }) };
  switch (role) {
    case "assistant":
      return { type: "AIMessage", fields: { ...fields, ...toolCalls(calls) } };
    case "tool":
      return { type: "ToolMessage", fields: { ...fields, tool_call_id: tool_call_id ?? "" } };
    case "system":
      return { type: "SystemMessage", fields };
    case "developer":
      return { type: "SystemMessage", fields: { ...fields, additional_kwargs: DEVELOPER } };
    default:
      return { type: "HumanMessage", fields };
  }
}

/** How LangChain marks a system message that OpenAI gets as a developer's message. */
const DEVELOPER = { __openai_role__: "developer" };

function toolCalls(calls: readonly RichToolCall[]): Fields {
  const valid: unknown[] = [];
  const invalid: unknown[] = [];
  for (const call of calls) {
    const { name, args } = namedArguments(call);
    if (args !== undefined) valid.push({ type: "tool_call", id: call.id, name, args });
    else invalid.push({ type: "invalid_tool_call", id: call.id, name, args: argumentsOf(call) });
  }
  return { tool_calls: valid, invalid_tool_calls: invalid };
}

const argumentsOf = (call: RichToolCall): string => String(Object(call["function"]).arguments);

function fromBaseMessage(message: BaseMessage): RichMessage {
  const standard = standardForm(message);
  const fields = fieldsOf(message);
  const type = classNameOf(message);
  const back = standardMessage(standard);
  if (type !== back.type) return { ...standard, langchain: { type, fields } };
  const backFields = fieldsOf(create(back.type, back.fields));
  const differing = Object.entries(fields).filter(([field, value]) => !isExact(value, backFields[field]));
  if (differing.length === 0) return standard;
  const remainder: Remainder = { fields: Object.fromEntries(differing) };
  return { ...standard, langchain: remainder };
}

/** Converts what a standard message can hold. */
function standardForm(message: BaseMessage): RichMessage {
  const given = fieldsOf(message);
  const calls = callsOf(given);
  const id = typeof given["id"] === "string" ? given["id"] : undefined;
  const name = typeof given["name"] === "string" ? given["name"] : undefined;
  const role = roleOf(message);
  return {
    role,
    content: contentOf(given["content"], calls),
    ...(calls.length === 0 || role !== "assistant" ? {} : { tool_calls: calls }),
    ...(role === "tool" ? { tool_call_id: String(given["tool_call_id"] ?? "") } : {}),
    ...present({ id, name }),
  };
}

function contentOf(content: unknown, calls: readonly RichToolCall[]): RichMessage["content"] {
  const isContent = typeof content === "string" || Array.isArray(content);
  return isContent ? partsOf(content as MessageContent, calls) : "";
}

const ROLES: Readonly<Record<string, RichMessage["role"]>> = {
  human: "user",
  user: "user",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
};

function roleOf(message: BaseMessage): RichMessage["role"] {
  const type = message.getType();
  if (type === "system" && sameJson(message.additional_kwargs, DEVELOPER)) return "developer";
  const name = type === "generic" ? (message as ChatMessage).role : type;
  return (Object.hasOwn(ROLES, name) ? ROLES[name] : undefined) ?? "assistant";
}

interface Call {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

const callsOf = (given: Fields): readonly RichToolCall[] => [
  ...((given["tool_calls"] ?? []) as readonly Call[]).map((call) =>
    toolCall(call, JSON.stringify(call.args ?? {})),
  ),
  ...((given["invalid_tool_calls"] ?? []) as readonly Call[]).map((call) =>
    toolCall(call, String(call.args ?? "")),
  ),
];

const toolCall = ({ id = "", name = "" }: Call, json: string): RichToolCall => ({
  id,
  type: "function",
  function: { name, arguments: json },
});
