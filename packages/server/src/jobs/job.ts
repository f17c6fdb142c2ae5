import type { JobClient } from "@jaf/core/internal";
import type { TurnEnd, TurnEvent } from "../turns/turn-event.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { NewConversation } from "./conversation.ts";
import type { BeginFailure, HeldLease, JobLease } from "./lease.ts";
import type { TurnSettings } from "./options.ts";
import type { StoredRequest } from "./stored-request.ts";
import type { Recorder } from "./turn-record.ts";

/** By the names of their agents. */
export type JobClients<Ctx> = ReadonlyMap<string, JobClient<Ctx>>;

/** What all jobs of a service share. */
export interface JobScope<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly clients: JobClients<Ctx>;
  readonly isDraining: () => boolean;
  /** How long pieces are gathered now. */
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
  /** Another process has it, or nobody. The log tells how it ends. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "handed-over" }
  | { readonly kind: "refused"; readonly beginFailure: Omit<BeginFailure, "error"> };

/** What a job that was taken over goes on from. */
export interface TakenJob extends HeldLease {
  readonly startedAt: Date;
  /** The events that the turn has already, for its record. */
  readonly sentEvents: readonly TurnEvent[];
  /** Events that the process before has left out. */
  readonly missing: readonly TurnEvent[];
  /** Whether anything of the turn is in the conversation, so that it is only gone on with. */
  readonly hasProgress: boolean;
  /** Whether it only remains to end it, as `ending` says or as stopped. */
  readonly ending?: TurnEnd;
  readonly stopped?: { readonly openText: string; readonly agentName: string };
  /** The conversation's version now. */
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
  /** What this process has written to the conversation in the turn. */
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
