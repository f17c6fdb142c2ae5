import type { ReasoningEffort } from "@jaf/core";
import { type Fields, fieldsOf } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import { isThinking, type WireMessage } from "../parts.ts";

/** The fields of a request that control thinking. */
export interface WireThinking {
  /** The field `thinking`. */
  readonly thinking: Fields | undefined;
  /** The `effort` of `output_config`. */
  readonly effort: string | undefined;
  /** Tokens to add to `max_tokens`, which includes thinking. */
  readonly budget: number;
  readonly isOn: boolean;
}

interface AskedThinking {
  readonly effort: ReasoningEffort | undefined;
  /** The application's own `thinking` field, which overrides the effort. */
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
 * Newer models decide themselves how much to think, by an effort; older models have a budget. Older models refuse to think
 * if a tool is forced, or if the current tool calls don't begin with their own thinking, e.g. after a handoff. Thinking is
 * disabled in these cases.
 *
 * The newest models also get an instruction for thinking with a changed prefix.
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
