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

/** What remains of a turn once its events have expired: what the model saw, by reference, and what it cost. As JSON in the log. */
export interface TurnRecord {
  /** The agent that the turn began with. */
  readonly agentName: string;
  /** ISO 8601, by the clock of the process. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly status: TurnEnd["status"];
  /** Which messages the turn added: from the position `from`, up to but without `to`. Absent if that isn't known. */
  readonly positions?: { readonly from: number; readonly to: number };
  /** The first 200, in order. */
  readonly calls: readonly RecordedCall[];
  /** The instructions that the model got, each once, without what middleware added to them. */
  readonly instructions: readonly string[];
  /** The ids of the facts about the user that the prompts held. Never their text. */
  readonly facts: readonly string[];
  /** What it waits for. `expiresAt` is a text here. */
  readonly interruptions: readonly Interruption[];
  readonly usage?: ModelUsage;
}

/** A call of a model. */
export interface RecordedCall {
  readonly agentName: string;
  readonly manifest?: ContextManifest;
  /** Which of `TurnRecord.instructions` it got. Absent if the call was made by a process that is gone. */
  readonly instructions?: number;
  readonly model?: string;
  readonly status?: "success" | "error";
  readonly durationMs?: number;
  readonly usage?: ModelUsage;
  readonly cost?: number;
  readonly finishReason?: string;
  readonly origin?: ModelOrigin;
}

const MAX_CALLS = 200;
const SEPARATOR = "\n\n";

/** Collects the record of a turn while it runs. */
export interface Recorder {
  /** An observer of the run: it has to be told at once, as the next call's instructions would be taken for this one's. */
  readonly take: (event: TraceEvent) => void;
  /** What the turn has told in a process before. */
  readonly observe: (event: TurnEvent) => void;
  /** Told which facts a prompt got. */
  readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
  /** Sees the instructions. Made for one turn. */
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
 * Facts about a user must not outlive their erasure in a record: what middleware added is cut off, by its length. Where it isn't
 * found there, as other middleware has changed the text, nothing is kept.
 */
function withoutInjectedText(text: string, manifest: ContextManifest | undefined): string {
  const added = (manifest?.additions ?? []).filter(({ placement }) => placement === "instructions");
  if (added.length === 0) return text;
  const length = added.reduce((sum, { characters }) => sum + SEPARATOR.length + characters, 0);
  return text.startsWith(SEPARATOR, text.length - length) ? text.slice(0, text.length - length) : "";
}

function sumOf(calls: readonly RecordedCall[]): ModelUsage | undefined {
  let sum: Record<string, number> | undefined;
  for (const { usage } of calls) {
    for (const [key, value] of Object.entries(usage ?? {})) {
      if (typeof value !== "number") continue;
      sum ??= {};
      sum[key] = (sum[key] ?? 0) + value;
    }
  }
  return sum;
}
