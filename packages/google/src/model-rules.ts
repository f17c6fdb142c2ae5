import type { ReasoningEffort } from "@jaf/core";
import type { Fields } from "@jaf/model-http";

/** Rules that differ between models. */
export interface ModelRules {
  /** Placeholder for a missing thought signature: the model refuses a step without one. */
  readonly missingSignature: string | undefined;
  /** Whether a request can have instructions. Without, they are the first user message. */
  readonly takesInstructions: boolean;
  /** Whether a tool result can contain media. */
  readonly mediaInResults: boolean;
  /** Whether a request can have both an output schema and tools. */
  readonly schemaBesideTools: boolean;
  /** Whether a request can have both functions and Google's own tools, if it lets Google show the calls of these. */
  readonly showsGoogles: boolean;
  /** Whether the tool `computerUse` declares the functions of models before Gemini 3.5. */
  readonly olderComputer: boolean;
  /** Returns `thinkingConfig` for an effort. `undefined`: the model can't think. */
  readonly thinking: ((effort: ReasoningEffort) => Fields) | undefined;
}

/** The path of a model's name: `models/…`, unless it has one, such as `tunedModels/…`. */
export const modelPath = (model: string): string =>
  (model.includes("/") ? model : `models/${model}`).split("/").map(encodeURIComponent).join("/");

/** The rules of a model by its name. Unknown models count as Gemini 3 or later. */
export function modelRules(model: string): ModelRules {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const isThinker = /^gemini-2\.5/.test(name);
  if (isThinker || /^(gemini-[12]([.-]|$)|gemini-pro$|gemma|learnlm)/.test(name))
    return {
      missingSignature: undefined,
      takesInstructions: !name.startsWith("gemma"),
      mediaInResults: name.includes("computer-use"),
      schemaBesideTools: false,
      showsGoogles: false,
      olderComputer: true,
      thinking: isThinker ? (effort) => ({ thinkingBudget: budgetOf(effort, name) }) : undefined,
    };
  return {
    takesInstructions: true,
    // Google documents this value for calls of other models.
    missingSignature: "skip_thought_signature_validator",
    mediaInResults: true,
    schemaBesideTools: true,
    showsGoogles: true,
    olderComputer: /^gemini-3(-|\.[0-4])/.test(name),
    thinking: (effort) => ({ thinkingLevel: levelOf(effort, name) }),
  };
}

/** Models that support the level `minimal`, as documented. The others refuse it. */
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

/** The budget in tokens: the values of Google's OpenAI-compatible endpoint, within the model's limits. */
function budgetOf(effort: ReasoningEffort, model: string): number {
  const isPro = model.includes("-pro");
  switch (effort) {
    case "none":
      // Pro models can't disable thinking.
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
