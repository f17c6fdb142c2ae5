import { type Fields, fieldsOf } from "../fields.ts";
import type { PromptMessage } from "./prompt-types.ts";

/**
 * The settings of a call, for this prompt. Anthropic's older models, told to think (`thinking: { type: "enabled" }`), refuse
 * a turn of tools under way that doesn't begin with thinking of their own: one that was handed to them in its middle, say.
 * They aren't told to think then, which is what Anthropic's refusal asks for.
 */
export function withPossibleThinking(settings: Fields, prompt: readonly PromptMessage[]): Fields {
  const options = fieldsOf(settings["providerOptions"]);
  const anthropic = fieldsOf(options["anthropic"]);
  if (fieldsOf(anthropic["thinking"])["type"] !== "enabled" || !isUnderWayWithoutThinking(prompt)) {
    return settings;
  }
  const thinking = { type: "disabled" };
  return { ...settings, providerOptions: { ...options, anthropic: { ...anthropic, thinking } } };
}

function isUnderWayWithoutThinking(prompt: readonly PromptMessage[]): boolean {
  // The user may have said something since: results still stand first in the message.
  const behind = prompt.findLastIndex(({ role }) => role === "assistant") + 1;
  const message = prompt[behind - 1];
  if (message?.role !== "assistant" || prompt[behind]?.role !== "tool") return false;
  return message.content[0]?.type !== "reasoning";
}
