import type { MemoryConflictReason } from "@jaf/memory";
import type { Operation } from "./program.ts";

/** The caller. */
export interface Place {
  readonly worker: number;
  readonly operation: number;
  /** From 1. A later attempt repeats an earlier one. */
  readonly attempt: number;
}

/**
 * - `"done"`: the store acknowledged it, possibly to a process that was dead by then.
 * - `"refused"`: the store answered that it wrote nothing.
 * - `"unknown"`: it may have taken effect, may still do so, or never will.
 * - `"unsent"`: it was never sent.
 */
export type Outcome = "done" | "refused" | "unknown" | "unsent";

interface Called {
  readonly place: Place;
  readonly kind: Operation["kind"] | "survey";
  /** Nanoseconds of a clock that all processes of the machine share. */
  readonly begin: number;
}

/** The data of a write. Every text belongs to one call, or to its repetitions under one identity. */
export interface WriteCall extends Called {
  readonly type: "write";
  readonly conversationId: string;
  readonly mode: "append" | "replace" | "import";
  readonly texts: readonly string[];
  /** The texts that end a run. */
  readonly finals?: readonly string[];
  readonly userId?: string;
  readonly creates: boolean;
  readonly dropLast?: number;
  readonly maxMessages?: number;
  readonly idempotencyKey?: string;
  /** Whether the messages have ids of their own. */
  readonly hasIds?: true;
  readonly expectedVersion?: number;
  readonly expectedMetadataVersion?: number;
  readonly expectedIncarnation?: string;
  /** Whether it changes metadata other than the owner. */
  readonly changesMetadata: boolean;
  readonly title?: string;
  readonly counter?: number;
  /** The reading that it was decided on, if any. */
  readonly basis?: Basis;
  /** Only for an import. */
  readonly version?: number;
}

/** An earlier reading of the same attempt. */
export interface Basis
  extends Pick<Reading, "isThere" | "incarnation" | "owner" | "version" | "texts" | "title"> {
  /** When its result was known. */
  readonly end: number;
}

export interface ErasureCall extends Called {
  readonly type: "erasure";
  /** Of one of them. */
  readonly conversationId?: string;
  readonly userId?: string;
}

export interface ReadCall extends Called {
  readonly type: "read";
  readonly conversationId?: string;
}

export type Call = WriteCall | ErasureCall | ReadCall;

/** A conversation as a call returned it. */
export interface Reading {
  readonly conversationId: string;
  readonly isThere: boolean;
  /** The texts of the messages, in order. */
  readonly texts: readonly string[];
  /** Whether these are all messages of the conversation. */
  readonly isWhole: boolean;
  readonly incarnation?: string;
  readonly owner?: string;
  readonly version?: number;
  readonly metadataVersion?: number;
  readonly totalMessages?: number;
  readonly nextPosition?: number;
  /** The position of the first text, if the call returned it. */
  readonly firstPosition?: number;
  readonly title?: string;
  readonly counter?: number;
}

export interface CallEnd {
  readonly outcome: Outcome;
  /** Absent if there was no answer. */
  readonly end?: number;
  readonly reason?: MemoryConflictReason | "missing" | "invalid";
  readonly readings?: readonly Reading[];
}

export type Ended<C extends Call> = C & CallEnd;

/** One execution of a tool. */
export interface ToolUse {
  readonly place: Place;
  readonly conversationId: string;
  readonly idempotencyKey: string;
  readonly at: number;
}

/** A run's result for its caller. */
export interface RunEnd {
  readonly place: Place;
  readonly conversationId: string;
  readonly userId?: string;
  readonly begin: number;
  readonly end: number;
  /** `"completed"`, or the tag of the error, with the reason of a conflict. */
  readonly outcome: string;
  readonly output?: string;
}

/** Everything that happened in a program, as far as it was reported. */
export interface History {
  readonly calls: readonly Ended<Call>[];
  readonly uses: readonly ToolUse[];
  readonly runs: readonly RunEnd[];
}

/** An event that a worker reports immediately. `id` is unique in its program. */
export type HistoryEvent =
  | { readonly type: "call"; readonly id: string; readonly call: Call }
  | { readonly type: "ended"; readonly id: string; readonly ended: CallEnd }
  | { readonly type: "use"; readonly use: ToolUse }
  | { readonly type: "run"; readonly run: RunEnd };

/** Calls in the order in which they began. The outcome of a call without a reported end is unknown. */
export function historyOf(events: readonly HistoryEvent[]): History {
  const ends = new Map(events.flatMap((event) => (event.type === "ended" ? [[event.id, event.ended]] : [])));
  return {
    calls: events
      .flatMap((event): readonly Ended<Call>[] =>
        event.type === "call" ? [{ ...event.call, ...(ends.get(event.id) ?? { outcome: "unknown" }) }] : [],
      )
      .sort((a, b) => a.begin - b.begin),
    uses: events.flatMap((event) => (event.type === "use" ? [event.use] : [])),
    runs: events.flatMap((event) => (event.type === "run" ? [event.run] : [])),
  };
}

/** In nanoseconds, comparable between the processes of a machine. */
export const now = (): number => Number(process.hrtime.bigint());
