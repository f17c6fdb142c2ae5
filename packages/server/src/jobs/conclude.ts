import { type PromptResult, UserFacingError } from "@jaf/core";
import type { MemoryErrorUnion } from "@jaf/memory";
import type { EventMapper } from "../turns/event-mapper.ts";
import { FAULT, failedEnd, faultEnd, turnEndOf } from "../turns/turn-ends.ts";
import { refusalOfError, refusalOfThrown } from "../turns/turn-errors.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";
import { endFailed, endStopped, endTurn } from "./end-turn.ts";
import { faultReport, reportOf } from "./failure-report.ts";
import { hasStored, type JobParts, type JobResult } from "./job.ts";
import { isTooOld } from "./left-turn.ts";

/** How a call of the agent client ended. */
export type Settled = ({ readonly result: PromptResult<unknown> } | { readonly thrown: unknown }) & {
  /** Whether the run has called a model. */
  readonly calledModel: boolean;
};

export const refusalOf = (settled: Settled): TurnRefusal | undefined => {
  if ("thrown" in settled) return refusalOfThrown(settled.thrown);
  const { outcome } = settled.result;
  return outcome.status === "error" ? refusalOfError(outcome.error) : undefined;
};

/**
 * Returns the failure of the store that ended the run before this process had called a model or written anything of the
 * turn. If it is retryable, a take-over can continue the turn: it finds out what is stored, and waits for the
 * conversation's lease.
 */
function failureBefore<Ctx>(job: JobParts<Ctx>, settled: Settled): MemoryErrorUnion | undefined {
  // With durability "completed", a take-over would repeat all model calls and tools.
  if ("thrown" in settled || settled.calledModel || hasStored(job)) return undefined;
  const { outcome } = settled.result;
  return outcome.status === "error" && outcome.error._tag === "MemoryError" ? outcome.error.error : undefined;
}

/**
 * Ends the turn according to the run's result (`settled`). Doesn't end a turn that never began, or that another process
 * continues.
 */
export async function conclude<Ctx>(
  job: JobParts<Ctx>,
  mapper: EventMapper,
  settled: Settled,
): Promise<JobResult> {
  const { lease, options } = job;
  const hasFailed = "thrown" in settled || settled.result.outcome.status === "error";
  if (job.reason() === "lost") {
    lease.close();
    return { kind: "elsewhere" };
  }
  await lease.settle();
  if (lease.recentEvents() === undefined) {
    const why = "thrown" in settled ? thrownRefusal(job, settled.thrown) : refusalOf(settled);
    const beginFailure = lease.refused() ?? (why && { refusal: why }) ?? (await lease.begin());
    if (beginFailure !== undefined) {
      // A late write of the engine must not begin the turn.
      lease.close();
      return { kind: "refused", beginFailure };
    }
  }
  if (job.reason() === "hand-over" && hasFailed) {
    lease.push({ type: "retract", reason: "handed-over" });
    await lease.release();
    return { kind: "handed-over" };
  }
  const failure = failureBefore(job, settled);
  if (
    job.reason() === undefined &&
    failure?.retryable === true &&
    options.scope.settings.recoverMs !== false &&
    !isTooOld(job, options.scope.settings)
  ) {
    job.opened();
    options.scope.settings.onError(failure);
    // So that the take-over doesn't count as one after a death of the process.
    lease.push({ type: "retract", reason: "handed-over" });
    await lease.release();
    return { kind: "left" };
  }
  job.opened();
  if ("thrown" in settled) {
    const refused = refusalOf(settled);
    if (refused === undefined)
      return endFailed(job, faultEnd(settled.thrown), faultReport(job, settled.thrown));
    const { message } = refused;
    return endTurn(job, failedEnd({ code: "ContinuationRejected", message, retryable: false }));
  }
  const agent = options.scope.settings.agents.get(options.request.agentName);
  const ending = turnEndOf(settled.result, {
    hasOutput: agent?.outputCodec !== undefined,
    isStopped: job.reason() === "stop",
  });
  const { outcome } = settled.result;
  if (ending.status === "error" && outcome.status === "error")
    return endFailed(job, ending, reportOf(job, outcome.error));
  if (ending.status !== "stopped") return endTurn(job, ending);
  return endStopped(job, { openText: mapper.openText(), agentName: mapper.agentName() }, ending);
}

/**
 * Converts an error that was thrown before the turn began into a refusal. The refusal of a `UserFacingError` has the
 * error's message. An unexpected error is reported, and its refusal only says that an internal error occurred.
 */
export function thrownRefusal<Ctx>({ options }: JobParts<Ctx>, thrown: unknown): TurnRefusal {
  if (thrown instanceof UserFacingError)
    return { reason: "forbidden", message: thrown.message, retryable: false };
  const refused = refusalOfThrown(thrown);
  if (refused !== undefined) return refused;
  options.scope.settings.onError(thrown);
  return { reason: "store", message: FAULT.message, retryable: false };
}
