import { fieldsOf, isName, isObject, listOf, type Refusal, type WireMessage } from "./chat-request.ts";

/**
 * OpenAI's rules for the messages of a Chat Completions request, from its reference and its documented errors: roles,
 * contents, the form of calls, and that exactly the calls are answered, directly after them. Returns the first broken rule.
 */
export function brokenMessageRule(messages: unknown): Refusal | undefined {
  if (!Array.isArray(messages) || messages.length === 0)
    return { message: "Invalid 'messages': empty array.", param: "messages", code: "empty_array" };
  for (const [index, message] of messages.entries()) {
    const broken = brokenForm(message, `messages[${index}]`);
    if (broken !== undefined) return broken;
  }
  return brokenOrder(messages);
}

function brokenForm(message: unknown, param: string): Refusal | undefined {
  if (!isObject(message)) return { message: `Invalid type for '${param}': expected an object.`, param };
  switch (message["role"]) {
    case "system":
    case "developer":
      return typeof message["content"] === "string" ? undefined : notText(param);
    case "user":
      return brokenUserContent(message["content"], param);
    case "tool":
      if (typeof message["tool_call_id"] !== "string")
        return {
          message: `Missing required parameter: '${param}.tool_call_id'.`,
          param: `${param}.tool_call_id`,
        };
      return brokenTextContent(message["content"], ["text"], param);
    case "assistant":
      return brokenAssistant(message, param);
    default:
      return {
        message: `Invalid value: '${message["role"]}'.`,
        param: `${param}.role`,
        code: "invalid_value",
      };
  }
}

const notText = (param: string): Refusal => ({
  message: "Invalid value for 'content': expected a string, got null.",
  param: `${param}.content`,
});

function brokenTextContent(content: unknown, types: readonly string[], param: string): Refusal | undefined {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content) || content.length === 0) return notText(param);
  const odd = content.map((part) => fieldsOf(part)["type"]).find((type) => !types.includes(String(type)));
  if (odd === undefined) return undefined;
  return odd === "image_url"
    ? { message: "Image URLs are only allowed for messages with role 'user'.", param }
    : { message: `Invalid value: '${odd}'.`, param: `${param}.content`, code: "invalid_value" };
}

const USER_PARTS: Readonly<Record<string, (part: Readonly<Record<string, unknown>>) => boolean>> = {
  text: ({ text }) => typeof text === "string",
  image_url: ({ image_url }) => typeof fieldsOf(image_url)["url"] === "string",
  input_audio: ({ input_audio }) =>
    typeof fieldsOf(input_audio)["data"] === "string" &&
    ["wav", "mp3"].includes(String(fieldsOf(input_audio)["format"])),
  file: ({ file }) =>
    typeof fieldsOf(file)["file_id"] === "string" ||
    (typeof fieldsOf(file)["file_data"] === "string" && typeof fieldsOf(file)["filename"] === "string"),
};

function brokenUserContent(content: unknown, param: string): Refusal | undefined {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content) || content.length === 0) return notText(param);
  for (const [index, part] of content.entries()) {
    const place = `${param}.content[${index}]`;
    const isValid = USER_PARTS[String(fieldsOf(part)["type"])];
    if (isValid === undefined)
      return { message: `Invalid value: '${fieldsOf(part)["type"]}'.`, param: place, code: "invalid_value" };
    if (!isValid(fieldsOf(part)) || Object.keys(fieldsOf(part)).length !== 2)
      return { message: `Invalid '${place}'.`, param: place };
  }
  return undefined;
}

function brokenAssistant(message: Readonly<Record<string, unknown>>, param: string): Refusal | undefined {
  const { content, tool_calls: calls } = message;
  const hasOther = typeof message["refusal"] === "string" || isObject(message["audio"]);
  if (content === null || content === undefined) {
    if (calls === undefined && !hasOther) return notText(param);
  } else {
    const broken = brokenTextContent(content, ["text", "refusal"], param);
    if (broken !== undefined) return broken;
  }
  if (calls === undefined) return undefined;
  const place = `${param}.tool_calls`;
  if (!Array.isArray(calls) || calls.length === 0)
    return { message: `Invalid '${place}': empty array.`, param: place, code: "empty_array" };
  const ids = new Set(calls.map((call) => fieldsOf(call)["id"]));
  if (ids.size < calls.length) return { message: `Duplicate value for 'tool_call_id'.`, param: place };
  return calls.map((call, index) => brokenCall(fieldsOf(call), `${place}[${index}]`)).find(Boolean);
}

function brokenCall(call: Readonly<Record<string, unknown>>, param: string): Refusal | undefined {
  const { id, type } = call;
  if (typeof id !== "string" || id === "") return { message: `Missing '${param}.id'.`, param: `${param}.id` };
  if (type !== "function" && type !== "custom")
    return { message: `Missing required parameter: '${param}.type'.`, param: `${param}.type` };
  const called = fieldsOf(call[type]);
  if (!isName(called["name"]))
    return {
      message: `Invalid '${param}.function.name': string does not match pattern.`,
      param: `${param}.function.name`,
      code: "invalid_value",
    };
  const input = called[type === "function" ? "arguments" : "input"];
  return typeof input === "string"
    ? undefined
    : { message: `Invalid type for '${param}': expected a string.`, param, code: "invalid_type" };
}

/** Each call is answered before the next other message, and every result has a call. */
function brokenOrder(messages: readonly WireMessage[]): Refusal | undefined {
  let open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message["tool_call_id"]))
        return {
          message:
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param: `messages.[${index}].role`,
        };
      continue;
    }
    if (open.size > 0) return unanswered(open, index);
    open = new Set(listOf(message.tool_calls).map((call) => fieldsOf(call)["id"]));
  }
  return open.size > 0 ? unanswered(open, messages.length) : undefined;
}

const unanswered = (ids: ReadonlySet<unknown>, index: number): Refusal => ({
  message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
  param: `messages.[${index}].role`,
});
