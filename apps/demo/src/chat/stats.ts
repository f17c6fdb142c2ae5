import type { ContextManifest, ContextReason, ModelUsage, TraceEvent } from "@jaf/core";

/** The context and token usage of the model calls for one reply. */
export interface ReplyStats {
  /** The model's name in the call; `"default"` if the provider chose it. */
  readonly model: string;
  readonly calls: number;
  /** The manifest of the last call. */
  readonly context?: ContextManifest;
  /** The sum of all calls. Absent if the model reports no usage. */
  readonly usage?: ModelUsage;
  /** Absent if no price is known. */
  readonly cost?: number;
}

export const NO_STATS: ReplyStats = { model: "default", calls: 0 };

/** Adds an event to the statistics. */
export function withEvent(stats: ReplyStats, event: TraceEvent): ReplyStats {
  if (event.type === "context") return { ...stats, context: event.data };
  if (event.type !== "llm_call_end") return stats;
  const { model, origin, usage, cost } = event.data;
  return {
    ...stats,
    model: origin?.model ?? model,
    calls: stats.calls + 1,
    ...(usage === undefined ? {} : { usage: addedUsage(stats.usage, usage) }),
    ...(cost === undefined ? {} : { cost: (stats.cost ?? 0) + cost }),
  };
}

/** The sum of two replies. */
export function addedStats(one: ReplyStats, other: ReplyStats): ReplyStats {
  const usage = other.usage === undefined ? one.usage : addedUsage(one.usage, other.usage);
  const hasCost = one.cost !== undefined || other.cost !== undefined;
  return {
    model: other.model,
    calls: one.calls + other.calls,
    ...(usage === undefined ? {} : { usage }),
    ...(hasCost ? { cost: (one.cost ?? 0) + (other.cost ?? 0) } : {}),
  };
}

function addedUsage(one: ModelUsage = {}, other: ModelUsage): ModelUsage {
  const sum: { -readonly [Count in keyof ModelUsage]: ModelUsage[Count] } = {};
  for (const count of ["inputTokens", "outputTokens", "cachedInputTokens", "cacheWriteTokens"] as const)
    if (one[count] !== undefined || other[count] !== undefined)
      sum[count] = (one[count] ?? 0) + (other[count] ?? 0);
  return sum;
}

/** A label and its text, which may have several lines. */
export type Row = readonly [label: string, text: string];

const LABEL_WIDTH = 15;

export const tableOf = (rows: readonly Row[]): string =>
  rows.map(([label, text]) => `  ${label.padEnd(LABEL_WIDTH)}${text}`).join("\n");

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

export function tokensOf(usage: ModelUsage | undefined): string {
  if (usage === undefined) return "not reported by this model";
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return `${inputTokens.toLocaleString("en-GB")} in, ${outputTokens.toLocaleString("en-GB")} out`;
}

function cacheOf(usage: ModelUsage | undefined): string {
  if (usage?.cachedInputTokens === undefined) return "not reported by this model";
  return `${counted(usage.cachedInputTokens, "token")} of the input came from the provider's cache`;
}

export const costOf = (cost: number | undefined): string =>
  cost === undefined ? "not known: no prices are configured" : cost.toFixed(4);

const WHY: Readonly<Partial<Record<ContextReason, string>>> = {
  "no-room": "the window has no room for them",
  "not-loaded": "only the last messages are needed",
  "not-stored": "the store no longer has them",
  "not-replayable": "models refuse calls without results, results without calls and empty replies",
  "orphan-result": "results without a call",
  "cut-turn": "the beginning of their turn is gone",
};

/** The messages that the model didn't get, by number from 1, with the reasons. */
function leftOutOf({ ranges }: ContextManifest): readonly string[] {
  return ranges
    .filter(({ fate }) => fate === "trimmed" || fate === "dropped")
    .map(({ from, to, reason }) => {
      const which = from === to ? `message ${from + 1}` : `messages ${from + 1} to ${to + 1}`;
      return `${which}: ${reason === undefined ? "left out" : (WHY[reason] ?? reason)}`;
    });
}

function windowOf({ window }: ContextManifest): string {
  if (window === undefined) return "none: the whole conversation is sent";
  const { type, limit, trimTo } = window;
  if (type === "function") return "chosen by a function of the application";
  return `up to ${limit} ${type}${trimTo === undefined ? "" : `, then cut to ${trimTo}`}`;
}

function summaryOf({ summary, counts }: ContextManifest): string {
  if (summary === undefined) return "none";
  return `${counted(counts.summarized, "message")} in ${counted(summary.characters, "character")}`;
}

const beginningOf = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59)}…`);

/** The context of the last reply. `instructions`: the assistant's own; `facts`: the number of injected facts. */
export function contextRows(
  { model, calls, context, usage }: ReplyStats,
  { instructions, facts }: { readonly instructions: string; readonly facts: number },
): readonly Row[] {
  const added = (context?.additions ?? []).reduce((sum, { characters }) => sum + characters, 0);
  const called: Row = [
    "model",
    `${model}, ${counted(calls, "call")}${calls > 1 ? ", the last of which is shown" : ""}`,
  ];
  const known = facts === 0 ? "none" : `${facts} of you, ${counted(added, "character")}; /why shows them`;
  const rows: Row[] = [
    called,
    ["instructions", `${counted(instructions.length, "character")}: ${beginningOf(instructions)}`],
    ["facts", known],
  ];
  if (context !== undefined) {
    const [first = "nothing", ...more] = leftOutOf(context);
    rows.push(
      ["messages", `${context.sent} sent, of ${context.messages} in the conversation`],
      ["window", windowOf(context)],
      ["summary", summaryOf(context)],
      ["left out", first],
      ...more.map((text): Row => ["", text]),
    );
  }
  return [...rows, ["tokens", tokensOf(usage)], ["cache", cacheOf(usage)]];
}
