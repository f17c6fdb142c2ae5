import type { JobClient } from "@jaf/core/internal";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { NewConversation } from "./conversation.ts";
import type { BeginFailure, HeldLease, JobLease } from "./lease.ts";
import type { TurnSettings } from "./options.ts";
import type { StoredRequest } from "./stored-request.ts";
import type { Recorder } from "./turn-record.ts";

/** Job clients by agent name. */
export type JobClients<Ctx> = ReadonlyMap<string, JobClient<Ctx>>;

/** The parts that all jobs of a service share. */
export interface JobScope<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly clients: JobClients<Ctx>;
  readonly isDraining: () => boolean;
  /** Returns how long pieces are currently gathered, in ms. */
  readonly gatherMs: () => number;
}

export interface JobOptions<Ctx> extends TurnIds {
  readonly scope: JobScope<Ctx>;
  readonly request: Omit<StoredRequest, "base">;
  readonly newConversation?: NewConversation | undefined;
}

/** How a job ended in this process. */
export type JobResult =
  | { readonly kind: "ended"; readonly end: TurnEnd }
  /** Another process has the job, or none yet. Its end is in the log. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "handed-over" }
  | { readonly kind: "refused"; readonly beginFailure: Omit<BeginFailure, "error"> };

/** The state from which a taken-over job continues. */
export interface TakenJob extends HeldLease {
  readonly startedAt: Date;
  /** The turn's stored events, for its record. */
  readonly sentEvents: readonly TurnEvent[];
  /** Events that the previous process didn't store. */
  readonly missing: readonly TurnEvent[];
  /** Whether messages of the turn are stored, so it is resumed and not started again. */
  readonly hasProgress: boolean;
  /** If set, the turn only has to be ended like this. */
  readonly ending?: TurnEnd;
  /** If set, the turn only has to be ended as stopped. */
  readonly stopped?: { readonly openText: string; readonly agentName: string };
  /** The conversation's current version. */
  readonly version: number | undefined;
}

/** Why a job is aborted. */
export type AbortReason = "stop" | "lost" | "hand-over";

/** The parts of a job. */
export interface JobParts<Ctx> {
  readonly options: JobOptions<Ctx>;
  readonly taken: TakenJob | undefined;
  readonly lease: JobLease;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly reason: () => AbortReason | undefined;
  readonly opened: () => void;
  /** This process's writes to the conversation in the turn: the latest version and position, and their number. */
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
