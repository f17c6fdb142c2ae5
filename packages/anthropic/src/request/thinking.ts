import type { ReasoningEffort } from "@jaf/core";
import { type Fields, fieldsOf } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import { isThinking, type WireMessage } from "../parts.ts";

/** What is asked of the model's thinking. */
export interface WireThinking {
  /** The field `thinking`. */
  readonly thinking: Fields | undefined;
  /** Of `output_config`. */
  readonly effort: string | undefined;
  /** Tokens to be added to those of the reply, since `max_tokens` counts both. */
  readonly budget: number;
  readonly isOn: boolean;
}

interface AskedThinking {
  readonly effort: ReasoningEffort | undefined;
  /** The application's own field, which outranks the effort. */
  readonly given: unknown;
  readonly rules: ModelRules;
  readonly messages: readonly WireMessage[];
  readonly isToolForced: boolean;
  readonly dropsMismatched: boolean;
}

const BUDGETS: Readonly<Record<Exclude<ReasoningEffort, "none">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
};

/**
 * Newer models think as they see fit, with an effort; older ones within a budget. These refuse to be told to think where a tool
 * is forced, and where a turn of tools is under way that doesn't begin with thinking of theirs, e.g. one that was handed to
 * them: they do without there.
 *
 * The newest ones are told what to do where what lies before their thinking has changed.
 */
export function wireThinking(asked: AskedThinking): WireThinking {
  const { effort, rules, messages, isToolForced, dropsMismatched } = asked;
  const own = byEffort(effort, rules);
  const given = asked.given === undefined ? own.thinking : fieldsOf(asked.given);
  const type = given?.["type"];
  const isBudget = type === "enabled";
  if (isBudget && (isToolForced || isUnderWayWithoutThinking(messages)))
    return { thinking: { type: "disabled" }, effort: own.effort, budget: 0, isOn: false };
  const isAdaptive = type === "adaptive" || (type === undefined && rules.thinking === "adaptive");
  const isBinding = rules.bindsThinking && isAdaptive && dropsMismatched;
  const thinking = isBinding
    ? { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" }, ...given }
    : given;
  return {
    thinking,
    effort: own.effort,
    budget: isBudget && asked.given === undefined ? own.budget : 0,
    isOn: thinking !== undefined && thinking["type"] !== "disabled",
  };
}

function byEffort(
  effort: ReasoningEffort | undefined,
  { thinking, canStopThinking, highestEffort }: ModelRules,
): Pick<WireThinking, "thinking" | "effort" | "budget"> {
  const unset = { thinking: undefined, effort: undefined, budget: 0 };
  if (effort === undefined || thinking === "none") return unset;
  if (thinking === "budget") {
    if (effort === "none") return unset;
    const budget = BUDGETS[effort];
    return { thinking: { type: "enabled", budget_tokens: budget }, effort: undefined, budget };
  }
  if (effort === "none" && canStopThinking) return { ...unset, thinking: { type: "disabled" } };
  const least = effort === "none" || effort === "minimal" ? "low" : effort;
  return { thinking: { type: "adaptive" }, effort: least === "xhigh" ? highestEffort : least, budget: 0 };
}

function isUnderWayWithoutThinking(messages: readonly WireMessage[]): boolean {
  const isAnswering = messages.at(-1)?.content.some(({ type }) => type === "tool_result") === true;
  const first = messages.at(-2)?.content[0];
  return isAnswering && first !== undefined && !isThinking(first);
}
