import type { JobClient } from "@jaf/core/internal";
import type { TimerService } from "../turns/timer-service.ts";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { BeginFailure } from "./begin-turn.ts";
import type { NewConversation } from "./conversation.ts";
import type { HeldLease, JobLease } from "./lease.ts";
import type { StoredRequest } from "./stored-request.ts";
import type { TurnSettings } from "./turn-options.ts";
import type { Recorder } from "./turn-record.ts";

/** The agent clients of the jobs, by agent name. */
export type JobClients<Ctx> = ReadonlyMap<string, JobClient<Ctx>>;

/** What all jobs of one turn service share. */
export interface JobScope<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly clients: JobClients<Ctx>;
  readonly isDraining: () => boolean;
  /** `undefined`: the server has no timers. */
  readonly timers: TimerService | undefined;
}

export interface JobOptions<Ctx> extends TurnIds {
  readonly scope: JobScope<Ctx>;
  readonly request: Omit<StoredRequest, "base">;
  readonly newConversation?: NewConversation | undefined;
}

/** How a job ended in this process. */
export type JobResult =
  | { readonly kind: "ended"; readonly end: TurnEnd }
  /** Another process continues the turn, or will take it over. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "handed-over" }
  /** The store failed before the turn's messages were stored. The turn's lease is released, and a take-over continues it. */
  | { readonly kind: "left" }
  | { readonly kind: "refused"; readonly beginFailure: Omit<BeginFailure, "error"> };

/** What a job needs to continue a turn that this process has taken over. */
export interface TakenJob extends HeldLease {
  readonly startedAt: Date;
  /** The turn's events that are already in the log. */
  readonly sentEvents: readonly TurnEvent[];
  /** Events to store before the turn continues, e.g. because the previous process didn't store them. */
  readonly missing: readonly TurnEvent[];
  /** Whether messages of the turn are stored, so that the run is resumed from these messages. */
  readonly hasProgress: boolean;
  /** Set if the turn can't continue: the event with which the job ends the turn. */
  readonly ending?: TurnEnd;
  /** Set if a stop was requested. `openText`: the text that readers have seen of an unfinished reply. */
  readonly stopped?: { readonly openText: string; readonly agentName: string };
  /** The conversation's version at the take-over. `undefined` if `ending` is set and `hasProgress` isn't known. */
  readonly version: number | undefined;
}

/**
 * Why a job is aborted:
 *
 * - `"stop"`: a stop was requested.
 * - `"lost"`: the lease is lost.
 * - `"hand-over"`: this process hands the turn over to another process.
 */
export type AbortReason = "stop" | "lost" | "hand-over";

/** What the functions of one job share. */
export interface JobParts<Ctx> {
  readonly options: JobOptions<Ctx>;
  readonly taken: TakenJob | undefined;
  readonly lease: JobLease;
  readonly recorder: Recorder;
  /** When the turn started, maybe in another process. */
  readonly startedAt: Date;
  readonly signal: AbortSignal;
  readonly reason: () => AbortReason | undefined;
  readonly opened: () => void;
  /**
   * With a queue: hands a new turn over as soon as it has begun, so that a worker continues it. Otherwise, and for a turn
   * that was taken over, does nothing.
   */
  readonly leaveToQueue: () => void;
  /**
   * This process's writes to the conversation in this turn: the latest version, and the position after the last message
   * (`to`).
   */
  readonly written: { version: number | undefined; to: number | undefined };
}

export function recordWrite<Ctx>(
  { written }: JobParts<Ctx>,
  receipt: { readonly version?: number; readonly nextPosition: number } | undefined,
): void {
  if (receipt === undefined) return;
  written.version = receipt.version ?? written.version;
  written.to = receipt.nextPosition;
}

/** Checks whether this process has stored messages of the turn. */
export function hasStored<Ctx>({ written, taken, lease }: JobParts<Ctx>): boolean {
  // A write of the conversation's lease alone doesn't change the version.
  return written.to !== undefined && written.version !== (taken?.version ?? lease.base()?.version);
}

/** A text that names a turn, for maps. */
export const turnKey = ({ conversationId, turnId }: TurnIds): string =>
  JSON.stringify([conversationId, turnId]);
