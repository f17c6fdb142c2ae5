/** A model's features and limits, as Anthropic documents them. */
export interface ModelRules {
  /** `"adaptive"`: the model decides how much to think; `"budget"`: up to a number of tokens; `"none"`: it can't think. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Whether thinking can be turned off. */
  readonly canStopThinking: boolean;
  /** Whether the model is Anthropic's own, which refuses ids of another form, and thinking without its signature. */
  readonly isClaude: boolean;
  /** Whether the model checks that nothing before its thinking changed. */
  readonly bindsThinking: boolean;
  /** The model's name for the effort `"xhigh"`. */
  readonly highestEffort: "xhigh" | "max";
  /** Whether the model accepts `temperature` and `top_p`: none, one of them, or both. */
  readonly sampling: "none" | "one" | "both";
  /** Whether a request can force a tool call. */
  readonly forcedTools: boolean;
  /** Whether the model supports a JSON schema for its output. */
  readonly outputSchema: boolean;
}

/** Other vendors' models behind the same API, without features that only Claude has. */
const OTHERS: ModelRules = {
  thinking: "budget",
  canStopThinking: true,
  isClaude: false,
  bindsThinking: false,
  highestEffort: "max",
  sampling: "both",
  forcedTools: true,
  outputSchema: false,
};

const NAMED = /claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?!\d))?(?:[-.](\d{1,2})(?!\d))?/;
/** E.g. `claude-3-7-sonnet-20250219`. */
const NUMBERED = /claude-(?:v|instant-)?(\d)(?:[-.](\d)(?!\d))?/;

/** The rules of a model's name, with or without a platform's prefix and suffix. An unknown Claude version counts as new. */
export function rulesOf(model: string): ModelRules {
  const [, family = "", major, minor = "0"] = NAMED.exec(model) ?? [];
  const [, oldMajor, oldMinor = "0"] = NUMBERED.exec(model) ?? [];
  if (!model.includes("claude")) return OTHERS;
  const version =
    major !== undefined
      ? Number(major) + Number(minor) / 100
      : oldMajor !== undefined
        ? Number(oldMajor) + Number(oldMinor) / 100
        : 5;
  // Fable and Mythos have the newest rules from version 5.1, other families from 5.5.
  const isFable = family === "fable" || family === "mythos";
  const isNewest = isFable ? version >= 5.01 : version >= 5.05;
  return {
    thinking: version >= 4.06 ? "adaptive" : version >= 3.07 ? "budget" : "none",
    canStopThinking: !(isFable || (isNewest && family !== "haiku")),
    isClaude: true,
    bindsThinking: isNewest,
    highestEffort: version >= 4.07 ? "xhigh" : "max",
    sampling: version >= 4.07 ? "none" : "one",
    forcedTools: !(isNewest && family !== "haiku"),
    outputSchema: version >= 4.05,
  };
}
