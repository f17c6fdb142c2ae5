import type { Message } from "@jaf/memory";
import type { TraceEvent } from "../events/trace-event.ts";
import type { ModelUsage } from "../model/completion.ts";
import { sumOfUsage } from "../usage.ts";

/** Collects the usage and the replies of a run from its events. */
export interface RunTotals {
  readonly sink: (event: TraceEvent) => void;
  /** The sum over all model calls so far. A number that no call reported is absent. */
  readonly usage: () => ModelUsage;
  readonly replies: ReadonlySet<Message>;
}

export function openRunTotals(): RunTotals {
  let usage: ModelUsage = {};
  const replies = new Set<Message>();
  return {
    sink: (event) => {
      if (event.type === "assistant_message") replies.add(event.data.message);
      if (event.type !== "llm_call_end") return;
      usage = sumOfUsage(usage, event.data.usage ?? {}) ?? usage;
    },
    usage: () => usage,
    replies,
  };
}
