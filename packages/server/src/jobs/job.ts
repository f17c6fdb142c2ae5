import type { JobClient } from "@jaf/core/internal";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { NewConversation } from "./conversation.ts";
import type { BeginFailure, HeldLease, JobLease } from "./lease.ts";
import type { TurnSettings } from "./options.ts";
import type { StoredRequest } from "./stored-request.ts";
import type { Recorder } from "./turn-record.ts";

/** The clients that run agents in jobs, by agent name. */
export type JobClients<Ctx> = ReadonlyMap<string, JobClient<Ctx>>;

/** What all jobs of one turn service share. */
export interface JobScope<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly clients: JobClients<Ctx>;
  readonly isDraining: () => boolean;
}

export interface JobOptions<Ctx> extends TurnIds {
  readonly scope: JobScope<Ctx>;
  readonly request: Omit<StoredRequest, "base">;
  readonly newConversation?: NewConversation | undefined;
}

/** How a job ended in this process. */
export type JobResult =
  | { readonly kind: "ended"; readonly end: TurnEnd }
  /** Another process continues the turn, or will take it over. That process stores the turn's end in the log. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "handed-over" }
  | { readonly kind: "refused"; readonly beginFailure: Omit<BeginFailure, "error"> };

/** The state from which this process continues a turn that it has taken over. */
export interface TakenJob extends HeldLease {
  readonly startedAt: Date;
  /** The turn's events that are already in the log. The turn record is built from them, too. */
  readonly sentEvents: readonly TurnEvent[];
  /** Events to store before the turn continues, because the previous process didn't store them. */
  readonly missing: readonly TurnEvent[];
  /** Whether messages of the turn are stored. If so, the run is resumed from the stored messages and doesn't start again. */
  readonly hasProgress: boolean;
  /** If set, the turn doesn't continue: it only has to end with this event. */
  readonly ending?: TurnEnd;
  /**
   * If set, the turn doesn't continue: it only has to end as stopped. `openText`: text that readers saw but that no message
   * contains.
   */
  readonly stopped?: { readonly openText: string; readonly agentName: string };
  /** The conversation's version at the take-over. `undefined` if the turn only has to end. */
  readonly version: number | undefined;
}

/** Why a job is aborted: a stop was requested, the lease is lost, or this process hands the turn over to another one. */
export type AbortReason = "stop" | "lost" | "hand-over";

/** What the functions of one job share: its options, lease, record and abort signal. */
export interface JobParts<Ctx> {
  readonly options: JobOptions<Ctx>;
  readonly taken: TakenJob | undefined;
  readonly lease: JobLease;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly reason: () => AbortReason | undefined;
  readonly opened: () => void;
  /**
   * What this process has written to the conversation in this turn: the latest version, the position after the last message (`to`),
   * and the number of writes.
   */
  readonly written: { version: number | undefined; to: number | undefined; count: number };
}

export function recordWrite<Ctx>(
  { written }: JobParts<Ctx>,
  receipt: { readonly version?: number; readonly nextPosition: number } | undefined,
): void {
  if (receipt === undefined) return;
  written.version = receipt.version ?? written.version;
  written.to = receipt.nextPosition;
  written.count += 1;
}
