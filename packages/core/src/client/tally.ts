import type { Message } from "@jaf/memory";
import type { TraceEvent } from "../events/trace-event.ts";
import type { ModelUsage } from "../model/completion.ts";

/** Counts along while a run goes on. */
export interface Tally {
  readonly sink: (event: TraceEvent) => void;
  /** Over all model calls so far; a number that no call gave is absent. */
  readonly usage: () => ModelUsage;
  readonly replies: ReadonlySet<Message>;
}

const COUNTS = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

export function openTally(): Tally {
  const usage: { -readonly [Count in keyof ModelUsage]: ModelUsage[Count] } = {};
  const replies = new Set<Message>();
  return {
    sink: (event) => {
      if (event.type === "assistant_message") replies.add(event.data.message);
      if (event.type !== "llm_call_end") return;
      for (const count of COUNTS) {
        const tokens = event.data.usage?.[count];
        if (tokens !== undefined) usage[count] = (usage[count] ?? 0) + tokens;
      }
    },
    usage: () => ({ ...usage }),
    replies,
  };
}
