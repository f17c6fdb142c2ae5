import type { ContextManifest, ModelUsage, TraceEvent } from "@jaf/core";

/** What the calls of the model for one reply saw and used. */
export interface Seen {
  /** The name that the call was made by; `"default"`: the provider chooses. */
  readonly model: string;
  readonly calls: number;
  /** Of the last call. */
  readonly context?: ContextManifest;
  /** The sum of all calls; absent: the model reports none. */
  readonly usage?: ModelUsage;
  /** Absent: no price is known. */
  readonly cost?: number;
}

export const NOTHING_SEEN: Seen = { model: "default", calls: 0 };

/** What was seen and used once this event has happened, too. */
export function withEvent(seen: Seen, event: TraceEvent): Seen {
  if (event.type === "context") return { ...seen, context: event.data };
  if (event.type !== "llm_call_end") return seen;
  const { model, origin, usage, cost } = event.data;
  return {
    ...seen,
    model: origin?.model ?? model,
    calls: seen.calls + 1,
    ...(usage === undefined ? {} : { usage: addedUsage(seen.usage, usage) }),
    ...(cost === undefined ? {} : { cost: (seen.cost ?? 0) + cost }),
  };
}

/** The sum of several replies. */
export function addedSeen(one: Seen, other: Seen): Seen {
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
