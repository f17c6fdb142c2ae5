import { createHash } from "node:crypto";
import { withoutCacheControl } from "./anthropic-cache.ts";
import { FOUND, REDACTED, THOUGHT } from "./anthropic-reply.ts";
import { isPaused, type Turn } from "./anthropic-rules.ts";
import { canonical } from "./canonical.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  objectsOf,
  Refusal,
  type ServiceRequest,
} from "./service.ts";

/** Models that check the content before a thinking block for changes, and only support adaptive thinking. */
export const bindsPrefix = (model: string): boolean =>
  /^claude-((opus|sonnet|haiku)-5-5|(fable|mythos)-5-[12])/.test(model);

/** Newer models think by default, older ones only if the request enables it. */
export function isThinking({ thinking: settings }: JsonObject, model: string): boolean {
  const type = isObject(settings) ? settings["type"] : undefined;
  return type === undefined ? bindsPrefix(model) : type !== "disabled";
}

const bare = (value: Json): Json => (isObject(value) ? withoutCacheControl(value) : value);

interface Placed {
  readonly role: string;
  readonly block: JsonObject;
}

interface ThinkingRequest {
  readonly request: ServiceRequest;
  readonly messages: readonly Turn[];
  readonly model: string;
  readonly owner: Owner;
  readonly opaque: OpaqueValues;
  readonly prefixes: ReadonlyMap<string, string>;
}

const isThought = ({ type }: JsonObject): boolean => type === "thinking" || type === "redacted_thinking";

/** Throws a {@link Refusal}. */
export function checkThinking(thinking: ThinkingRequest): void {
  const { request, messages, model } = thinking;
  const settings = request.body["thinking"];
  const type = isObject(settings) ? settings["type"] : undefined;
  checkSettings(request.body, type, model);
  for (const [index, turn] of messages.entries()) {
    for (const [place, block] of turn.blocks.entries())
      checkValues(block, `messages.${index}.content.${place}`, thinking);
  }
  checkPrefixes(thinking);
  if (type === "enabled") checkLoop(messages);
  const isPrefill = messages.at(-1)?.role === "assistant" && !isPaused(messages);
  if (type !== undefined && type !== "disabled" && isPrefill)
    throw new Refusal(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
}

function checkSettings(body: JsonObject, type: Json | undefined, model: string): void {
  checkNewest(body, type, model);
  if (type === undefined || type === "disabled") return;
  const settings = body["thinking"];
  const budget = isObject(settings) ? settings["budget_tokens"] : undefined;
  const topP = body["top_p"];
  const choice = body["tool_choice"];
  if (type === "enabled") {
    if (bindsPrefix(model))
      throw new Refusal('thinking.type: "enabled" is not supported for this model. Use "adaptive".');
    if (typeof budget !== "number" || budget < 1024)
      throw new Refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (Number(body["max_tokens"]) <= budget)
      throw new Refusal("`max_tokens` must be greater than `thinking.budget_tokens`.");
    if (isObject(choice) && choice["type"] !== "auto" && choice["type"] !== "none")
      throw new Refusal("Thinking may not be enabled when tool_choice forces tool use.");
  }
  if (topP !== undefined && Number(topP) < 0.95)
    throw new Refusal("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  const { temperature } = body;
  if (temperature !== undefined && temperature !== 1)
    throw new Refusal("`temperature` may only be set to 1 when thinking is enabled.");
}

/** Options that the models with bound thinking no longer accept. Haiku accepts some of them. */
function checkNewest(body: JsonObject, type: Json | undefined, model: string): void {
  if (!bindsPrefix(model)) return;
  for (const field of ["temperature", "top_p", "top_k"]) {
    if (body[field] !== undefined) throw new Refusal(`${field}: is not supported for this model`);
  }
  if (model.startsWith("claude-haiku")) return;
  if (type === "disabled") throw new Refusal('thinking.type: "disabled" is not supported for this model.');
  const choice = body["tool_choice"];
  if (isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool"))
    throw new Refusal("tool_choice: forced tool use is not supported for this model");
}

function checkValues(block: JsonObject, where: string, { owner, opaque }: ThinkingRequest): void {
  const isGenuine = (content: string, value: Json | undefined): boolean =>
    typeof value === "string" && opaque.isGenuine(owner, content, value);
  switch (block["type"]) {
    case "thinking":
      if (typeof block["thinking"] !== "string" || !isGenuine(THOUGHT(block["thinking"]), block["signature"]))
        throw new Refusal(`${where}: Invalid \`signature\` in \`thinking\` block`);
      return;
    case "redacted_thinking":
      if (!isGenuine(REDACTED, block["data"]))
        throw new Refusal(`${where}: Invalid \`data\` in \`redacted_thinking\` block`);
      return;
    case "web_search_tool_result":
      for (const found of objectsOf(block["content"], `${where}.content`)) {
        if (!isGenuine(FOUND(String(found["url"])), found["encrypted_content"]))
          throw new Refusal(`${where}: Invalid \`encrypted_content\` in \`web_search_result\` block`);
      }
      return;
  }
}

/** While thinking is enabled, the message with the answered calls begins with their thinking. */
function checkLoop(messages: readonly Turn[]): void {
  const isLoop = messages.at(-1)?.blocks.some(({ type }) => type === "tool_result") === true;
  const first = messages.at(-2)?.blocks[0];
  if (!isLoop || first === undefined || isThought(first)) return;
  throw new Refusal(
    `messages.${messages.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first["type"]}\`. ` +
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block " +
      "(preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
  );
}

function checkPrefixes({ request, messages, model, prefixes }: ThinkingRequest): void {
  if (!bindsPrefix(model)) return;
  const settings = request.body["thinking"];
  const binding = isObject(settings) ? settings["block_binding"] : undefined;
  if (
    binding !== undefined &&
    !String(request.headers["anthropic-beta"]).includes("thinking-binding-controls")
  )
    throw new Refusal("thinking.block_binding: Extra inputs are not permitted");
  if (isObject(binding) && binding["prefix_mismatch_behavior"] === "drop_block") return;
  const sent = messages.flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block })));
  for (const [value, digest] of digestsOf(request.body, [], sent)) {
    if (prefixes.get(value) !== digest)
      throw new Refusal(
        "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, " +
          'or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
      );
  }
}

/** Returns each thinking block's opaque value, and a digest of the request's settings and all blocks before it. */
export function digestsOf(
  body: JsonObject,
  before: readonly Placed[],
  blocks: readonly Placed[],
): readonly (readonly [value: string, digest: string])[] {
  const said = ({ role, block }: Placed): string => canonical([role, withoutCacheControl(block)]);
  const system = isList(body["system"]) ? body["system"].map(bare) : (body["system"] ?? null);
  const tools = isList(body["tools"]) ? body["tools"].map(bare) : null;
  const hash = createHash("sha256").update(canonical([system, tools]));
  for (const placed of before) hash.update(said(placed));
  return blocks.flatMap((placed) => {
    const { block } = placed;
    const digest = hash.copy().digest("hex");
    hash.update(said(placed));
    const value = block["signature"] ?? block["data"];
    return isThought(block) ? [[String(value), digest] as const] : [];
  });
}
