import type {
  ContextManifest,
  Interruption,
  Middleware,
  ModelOrigin,
  ModelUsage,
  TraceEvent,
} from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { toTurnEvent } from "../turns/event-mapper.ts";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";

/**
 * The record of a turn, as JSON in the turn log. The log keeps the record for longer than the turn's events. The record
 * holds instructions as text, and messages and facts only as ids and positions.
 */
export interface TurnRecord {
  /** Name of the agent at the start of the turn. */
  readonly agentName: string;
  /** When the turn started (ISO 8601), by the clock of the process that started it. */
  readonly startedAt: string;
  /** When the turn ended (ISO 8601), by the clock of the process that ended it. */
  readonly endedAt: string;
  /** How the turn ended. */
  readonly status: TurnEnd["status"];
  /** Positions of the messages that the turn added: from `from` to `to - 1`. Absent if unknown. */
  readonly positions?: { readonly from: number; readonly to: number };
  /** The turn's first 200 model calls, in order. */
  readonly calls: readonly RecordedCall[];
  /**
   * The different instructions (system prompts) that the model received, each listed once. Texts that middleware added
   * are left out.
   */
  readonly instructions: readonly string[];
  /** Ids of the facts about the user that the prompts contained, without the text of the facts. */
  readonly facts: readonly string[];
  /** The tool calls that wait for the user. In the JSON, their field `expiresAt` is an ISO 8601 string. */
  readonly interruptions: readonly Interruption[];
  /** The number of tokens of all model calls of the turn. */
  readonly usage?: ModelUsage;
}

/** A model call in a {@link TurnRecord}. */
export interface RecordedCall {
  readonly agentName: string;
  /** The tool call that ran the agent, as in `InnerTurnEvent`. Absent: the agent is one of the turn itself. */
  readonly toolCallId?: string;
  /**
   * The messages of the call and what happened to each. Messages are listed by reference, without content. Absent if an
   * agent that ran as a tool made the call.
   */
  readonly manifest?: ContextManifest;
  /** Index of the call's instructions in `TurnRecord.instructions`. Absent if a previous process made the call. */
  readonly instructions?: number;
  readonly model?: string;
  readonly status?: "success" | "error";
  readonly durationMs?: number;
  readonly usage?: ModelUsage;
  /** The cost of the call's tokens, by the prices in `RunConfig.prices`. */
  readonly cost?: number;
  readonly finishReason?: string;
  /** The model that replied, if the provider reports it. */
  readonly origin?: ModelOrigin;
}

const MAX_CALLS = 200;
const SEPARATOR = "\n\n";

interface ModelCall {
  /** The instructions that the model gets. */
  readonly seen?: string;
  readonly manifest?: ContextManifest;
}

/** Collects the data for a turn's record while the turn runs. */
export interface Recorder {
  /** Adds an event of the run to the turn's record. Call `take` synchronously when the event occurs. */
  readonly take: (event: TraceEvent) => void;
  /** Adds to the turn's record an event that a previous process has stored. */
  readonly observe: (event: TurnEvent) => void;
  /** Adds to the turn's record the ids of the facts in a prompt. */
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
  /**
   * Returns a middleware for one turn that records the instructions of each model call. The middleware awaits
   * `beforeCall` before each model call.
   */
  readonly middleware: <Ctx>(beforeCall: () => Promise<void>) => Middleware<Ctx>;
  readonly record: (end: TurnEnd, positions: TurnRecord["positions"]) => TurnRecord;
}

export function createRecorder(agentName: string, startedAt: Date): Recorder {
  const calls: RecordedCall[] = [];
  const instructions: string[] = [];
  const facts = new Set<string>();
  /** What is known of the model call in progress, by the id of the run. Agents that run as tools have runs of their own. */
  const inProgress = new Map<string | undefined, ModelCall>();

  const indexOf = (text: string): number => {
    const known = instructions.indexOf(text);
    return known === -1 ? instructions.push(text) - 1 : known;
  };

  const add = (event: TurnEvent, runId?: string): void => {
    const told = event.type === "inner" ? event.event : event;
    if (told.type === "context") inProgress.set(runId, { ...inProgress.get(runId), manifest: told.manifest });
    if (told.type !== "model_call" || calls.length === MAX_CALLS) return;
    const { type: _, ...call } = told;
    const { seen, manifest } = inProgress.get(runId) ?? {};
    calls.push({
      ...call,
      ...(event.type === "inner" ? { toolCallId: event.toolCallId } : present({ manifest })),
      ...(seen === undefined ? {} : { instructions: indexOf(withoutInjectedText(seen, manifest)) }),
    });
  };

  return {
    observe: (event) => add(event),
    take: (event) => {
      // Taken later, the event could get the instructions of the next model call.
      const { type, data, runId } = event.type === "inner_event" ? event.data.event : event;
      if (type === "context") add({ type, manifest: data }, runId);
      if (type !== "llm_call_end") return;
      const turnEvent = toTurnEvent(event);
      if (turnEvent !== undefined) add(turnEvent, runId);
    },
    onInjected: (entries) => {
      for (const { id } of entries) facts.add(id);
    },
    middleware: (beforeCall) => ({
      name: "turn-record",
      wrapModelCall: async (request, next) => {
        await beforeCall();
        inProgress.set(request.state.runId, { seen: request.instructions });
        return next();
      },
    }),
    record: (end, positions) => ({
      ...{ agentName, startedAt: startedAt.toISOString(), endedAt: new Date().toISOString() },
      status: end.status,
      ...present({ positions }),
      ...{ calls, instructions, facts: [...facts], interruptions: end.interruptions ?? [] },
      ...(end.usage === undefined ? {} : { usage: sumOf(calls) ?? end.usage }),
    }),
  };
}

/**
 * Removes the texts that middleware added to the instructions. Returns `""` if these texts aren't at the end of the
 * instructions.
 */
function withoutInjectedText(text: string, manifest: ContextManifest | undefined): string {
  // The added texts may hold facts about the user. An erased fact must not remain in a turn's record.
  const added = (manifest?.additions ?? []).filter(({ placement }) => placement === "instructions");
  if (added.length === 0) return text;
  const length = added.reduce((sum, { characters }) => sum + SEPARATOR.length + characters, 0);
  return text.startsWith(SEPARATOR, text.length - length) ? text.slice(0, text.length - length) : "";
}

function sumOf(calls: readonly RecordedCall[]): ModelUsage | undefined {
  let sum: Record<string, number> | undefined;
  let isEstimated = false;
  for (const { usage } of calls) {
    isEstimated ||= usage?.estimated === true;
    for (const [key, value] of Object.entries(usage ?? {})) {
      if (typeof value !== "number") continue;
      sum ??= {};
      sum[key] = (sum[key] ?? 0) + value;
    }
  }
  return isEstimated ? { ...sum, estimated: true } : sum;
}
