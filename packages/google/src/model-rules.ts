import type { ReasoningEffort } from "@jaf/core";
import type { Fields } from "@jaf/model-http";

/** What a model takes that others refuse. */
export interface ModelRules {
  /** What stands for the signature of a call that has none: the model refuses a step without one. */
  readonly missingSignature: string | undefined;
  /** Whether media may stand inside a tool's result. */
  readonly mediaInResults: boolean;
  /** Whether it can be told the output's schema beside tools. */
  readonly schemaBesideTools: boolean;
  /** `thinkingConfig` for an effort; `undefined`: it doesn't think. */
  readonly thinking: ((effort: ReasoningEffort) => Fields) | undefined;
}

/** The path of a model's name: `models/…`, unless it has one, such as `tunedModels/…`. */
export const modelPath = (model: string): string =>
  (model.includes("/") ? model : `models/${model}`).split("/").map(encodeURIComponent).join("/");

/** By the model's name; one that isn't known to be older is of the third generation or later. */
export function modelRules(model: string): ModelRules {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const isThinker = /^gemini-2\.5/.test(name);
  if (isThinker || /^(gemini-[12]([.-]|$)|gemini-pro$|gemma|learnlm)/.test(name))
    return {
      missingSignature: undefined,
      mediaInResults: false,
      schemaBesideTools: false,
      thinking: isThinker ? (effort) => ({ thinkingBudget: budgetOf(effort, name) }) : undefined,
    };
  return {
    // Google documents this value for calls that its models didn't make.
    missingSignature: "skip_thought_signature_validator",
    mediaInResults: true,
    schemaBesideTools: true,
    thinking: (effort) => ({ thinkingLevel: levelOf(effort, name) }),
  };
}

/** Those that Google documents to know the level `minimal`. The others refuse it. */
const MINIMAL = /^gemini-(3-flash|3\.6-flash|[\d.]+-flash-lite)/;

function levelOf(effort: ReasoningEffort, model: string): string {
  switch (effort) {
    case "none":
    case "minimal":
      return MINIMAL.test(model) ? "minimal" : "low";
    case "low":
      return "low";
    case "medium":
      return /^gemini-3-pro/.test(model) ? "high" : "medium";
    case "high":
    case "xhigh":
      return "high";
  }
}

/** In tokens, as Google's compatible endpoint has them, within the model's limits. */
function budgetOf(effort: ReasoningEffort, model: string): number {
  const isPro = model.includes("-pro");
  switch (effort) {
    case "none":
      // It can't do without.
      return isPro ? 128 : 0;
    case "minimal":
      return isPro ? 128 : 512;
    case "low":
      return 1_024;
    case "medium":
      return 8_192;
    case "high":
      return 24_576;
    case "xhigh":
      return isPro ? 32_768 : 24_576;
  }
}
