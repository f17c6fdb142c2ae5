/** What a model takes, as Anthropic documents it. */
export interface ModelRules {
  /** `"adaptive"`: it thinks as it sees fit; `"budget"`: within a number of tokens; `"none"`: not at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Whether thinking can be turned off. */
  readonly canStopThinking: boolean;
  /** Whether it checks that nothing before its thinking has changed. */
  readonly bindsThinking: boolean;
  /** What it calls the highest effort of JAF's. */
  readonly highestEffort: "xhigh" | "max";
  /** Which of temperature and `top_p` it takes. */
  readonly sampling: "none" | "one" | "both";
  /** Whether it can be made to call a tool. */
  readonly forcedTools: boolean;
  /** Whether its output can be bound to a JSON schema. */
  readonly outputSchema: boolean;
}

/** Models of others behind the same interface: nothing is asked of them that only Claude knows. */
const OTHERS: ModelRules = {
  thinking: "budget",
  canStopThinking: true,
  bindsThinking: false,
  highestEffort: "max",
  sampling: "both",
  forcedTools: true,
  outputSchema: false,
};

const NAMED = /claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?!\d))?(?:[-.](\d{1,2})(?!\d))?/;
/** E.g. `claude-3-7-sonnet-20250219`. */
const NUMBERED = /claude-(?:v|instant-)?(\d)(?:[-.](\d)(?!\d))?/;

/** Of a name with or without a platform's prefix and suffix. A Claude of no known version counts as new. */
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
  // Their first versions are as far as the fifth of the others.
  const isFable = family === "fable" || family === "mythos";
  const isNewest = isFable ? version >= 5.01 : version >= 5.05;
  return {
    thinking: version >= 4.06 ? "adaptive" : version >= 3.07 ? "budget" : "none",
    canStopThinking: !(isFable || (isNewest && family !== "haiku")),
    bindsThinking: isNewest,
    highestEffort: version >= 4.07 ? "xhigh" : "max",
    sampling: version >= 4.07 ? "none" : "one",
    forcedTools: !(isNewest && family !== "haiku"),
    outputSchema: version >= 4.05,
  };
}
