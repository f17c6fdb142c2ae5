import { brokenToolRule } from "./chat-tool-rules.ts";
import { isList, type Json, type JsonObject, Refusal } from "./service.ts";

const PARAMETERS: ReadonlySet<string> = new Set([
  ...["background", "context_management", "conversation", "include", "input", "instructions"],
  ...["max_output_tokens", "max_tool_calls", "metadata", "model", "parallel_tool_calls"],
  ...["previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning"],
  ...["safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text"],
  ...["tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user"],
]);

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const fieldsOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !isList(value) ? (value as JsonObject) : {};

/** OpenAI's rules for a request of the Responses API, except its input. Throws a {@link Refusal}. */
export function checkBody(body: JsonObject): void {
  const unknown = Object.keys(body).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw new Refusal(`Unknown parameter: '${unknown}'.`, 400, "unknown_parameter");
  checkSizes(body);
  checkReasoning(body);
  const tools = isList(body["tools"]) ? body["tools"].map(fieldsOf) : [];
  const index = tools.findIndex(({ type, name }) => type === "function" && !NAME.test(String(name)));
  if (index !== -1) throw new Refusal(`Invalid 'tools[${index}].name': string does not match pattern.`);
  const broken = brokenToolRule(asChat(body));
  if (broken !== undefined) throw new Refusal(broken.message, 400, broken.code);
}

function checkSizes({ prompt_cache_key: key, max_output_tokens: tokens }: JsonObject): void {
  if (key !== undefined && (typeof key !== "string" || key.length > 64))
    throw new Refusal("Invalid 'prompt_cache_key': expected a string of up to 64 characters.");
  if (tokens !== undefined && (typeof tokens !== "number" || tokens < 16))
    throw new Refusal("Invalid 'max_output_tokens': integer below minimum value.");
}

const EFFORTS: readonly Json[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const SUMMARIES: readonly Json[] = ["auto", "concise", "detailed"];

function checkReasoning({ reasoning, include, model }: JsonObject): void {
  const { effort, summary } = fieldsOf(reasoning);
  if (effort !== undefined && !EFFORTS.includes(effort)) throw new Refusal("Invalid 'reasoning.effort'.");
  if (summary !== undefined && !SUMMARIES.includes(summary))
    throw new Refusal("Invalid 'reasoning.summary'.");
  const asks = isList(include) && include.includes("reasoning.encrypted_content");
  if (asks && /^(gpt-3|gpt-4|chatgpt)/.test(String(model)))
    throw new Refusal("Encrypted content is not supported with this model.");
}

/** Converts tools, choice and format to the form of Chat Completions, which has the same rules. */
function asChat({ tools, tool_choice: choice, text, input }: JsonObject): Readonly<Record<string, unknown>> {
  const isOwn = ({ type }: JsonObject): boolean => type === "function" || type === "custom";
  const own = isList(tools) ? tools.map(fieldsOf).filter(isOwn) : [];
  const { type, name, schema, strict } = fieldsOf(fieldsOf(text)["format"]);
  return {
    ...(own.length === 0 ? {} : { tools: own.map(chatTool) }),
    // A choice can also mean tools of the service's own, which have other rules.
    ...(choice === undefined || !isOwnChoice(choice) || (own.length === 0 && isList(tools))
      ? {}
      : { tool_choice: chatChoice(choice) }),
    ...(type === undefined ? {} : { response_format: { type, json_schema: { name, schema, strict } } }),
    messages: input,
  };
}

/** According to the documentation, an object without `properties` isn't refused here. */
const chatTool = (tool: JsonObject): unknown => ({
  type: tool["type"],
  [String(tool["type"])]:
    tool["type"] === "function"
      ? { ...tool, parameters: { properties: {}, ...fieldsOf(tool["parameters"]) } }
      : tool,
});

const isOwnChoice = (choice: Json): boolean =>
  typeof choice === "string" || ["function", "custom"].includes(String(fieldsOf(choice)["type"]));

function chatChoice(choice: Json): unknown {
  const { type, name } = fieldsOf(choice);
  return typeof choice === "string" ? choice : { type, [String(type)]: { name } };
}
