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

/** The JSON record of a turn in the log: references to what the model saw, with usage and cost. It outlives the turn's events. */
export interface TurnRecord {
  /** The agent at the start of the turn. */
  readonly agentName: string;
  /** ISO 8601, from the clock of the process that started the turn. */
  readonly startedAt: string;
  /** ISO 8601, from the clock of the process that ended the turn. */
  readonly endedAt: string;
  /** How the turn ended. */
  readonly status: TurnEnd["status"];
  /** Positions of the messages that the turn added, from `from` to before `to`. Absent if unknown. */
  readonly positions?: { readonly from: number; readonly to: number };
  /** The first 200 model calls, in order. */
  readonly calls: readonly RecordedCall[];
  /** The distinct instructions that the model received, without additions of middleware. */
  readonly instructions: readonly string[];
  /** Ids of the facts about the user in the prompts. Never their text. */
  readonly facts: readonly string[];
  /** The waiting calls. `expiresAt` is an ISO 8601 string here. */
  readonly interruptions: readonly Interruption[];
  /** The tokens of all model calls of the turn. */
  readonly usage?: ModelUsage;
}

/** A model call in a {@link TurnRecord}. */
export interface RecordedCall {
  readonly agentName: string;
  /** The messages of the call, by reference. */
  readonly manifest?: ContextManifest;
  /** Index of its instructions in `TurnRecord.instructions`. Absent if a previous process made the call. */
  readonly instructions?: number;
  readonly model?: string;
  readonly status?: "success" | "error";
  readonly durationMs?: number;
  readonly usage?: ModelUsage;
  /** The cost by `RunConfig.prices`. */
  readonly cost?: number;
  readonly finishReason?: string;
  /** The model that replied, if the provider reports it. */
  readonly origin?: ModelOrigin;
}

const MAX_CALLS = 200;
const SEPARATOR = "\n\n";

/** Collects the record of a turn while it runs. */
export interface Recorder {
  /** Takes an event of the run. Call it synchronously, or the instructions of the next call are recorded for this one. */
  readonly take: (event: TraceEvent) => void;
  /** Takes a stored event from a previous process. */
  readonly observe: (event: TurnEvent) => void;
  /** Records the facts of a prompt. */
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
  /** Returns a middleware that records the instructions. For one turn. */
  readonly middleware: <Ctx>(beforeCall: () => Promise<void>) => Middleware<Ctx>;
  readonly record: (end: TurnEnd, positions: TurnRecord["positions"]) => TurnRecord;
}

export function createRecorder(agentName: string, startedAt: Date): Recorder {
  const calls: RecordedCall[] = [];
  const instructions: string[] = [];
  const facts = new Set<string>();
  let seen: string | undefined;
  let manifest: ContextManifest | undefined;

  const indexOf = (text: string): number => {
    const known = instructions.indexOf(text);
    return known === -1 ? instructions.push(text) - 1 : known;
  };

  const observe = (event: TurnEvent): void => {
    if (event.type === "context") manifest = event.manifest;
    if (event.type !== "model_call" || calls.length === MAX_CALLS) return;
    const { type: _, ...call } = event;
    calls.push({
      ...call,
      ...present({ manifest }),
      ...(seen === undefined ? {} : { instructions: indexOf(withoutInjectedText(seen, manifest)) }),
    });
  };

  return {
    observe,
    take: (event) => {
      if (event.type !== "context" && event.type !== "llm_call_end") return;
      const turnEvent = toTurnEvent(event);
      if (turnEvent !== undefined) observe(turnEvent);
    },
    onInjected: (entries) => {
      for (const { id } of entries) facts.add(id);
    },
    middleware: (beforeCall) => ({
      name: "turn-record",
      wrapModelCall: async (request, next) => {
        await beforeCall();
        seen = request.instructions;
        manifest = undefined;
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
 * Removes the additions of middleware by their length: facts about a user must not survive their erasure in a record. Returns `""` if
 * the additions aren't at the end, because other middleware has changed the text.
 */
function withoutInjectedText(text: string, manifest: ContextManifest | undefined): string {
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
