import type { RecentEvents } from "../turns/recent-events.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { BeginFailure } from "./begin-turn.ts";
import { thrownRefusal } from "./conclude.ts";
import { endFailed, endStopped } from "./end-turn.ts";
import { lostReport } from "./failure-report.ts";
import type { AbortReason, JobOptions, JobParts, JobResult, TakenJob } from "./job.ts";
import { openJobLease } from "./lease.ts";
import { runAgent } from "./run-agent.ts";
import { createRecorder } from "./turn-record.ts";

/** The work on one turn in this process. */
export interface Job extends TurnIds {
  /** The user for whom the turn runs. */
  readonly userId: string;
  /** Returns the turn's latest events, or `undefined` if the turn hasn't begun. */
  readonly recentEvents: () => RecentEvents | undefined;
  readonly stop: () => void;
  readonly handOver: () => void;
  /**
   * Resolves with `undefined` once the turn is in the log, or with the failure if the turn can't begin. Never rejects.
   */
  readonly opened: Promise<Omit<BeginFailure, "error"> | undefined>;
  /** Resolves with how the job ended. Never rejects. */
  readonly result: Promise<JobResult>;
}

/** Starts the job of a new turn. With `taken`, continues a turn that this process has taken over. */
export function startJob<Ctx>(options: JobOptions<Ctx>, taken?: TakenJob): Job {
  const { scope, request, conversationId, turnId } = options;
  const { settings } = scope;
  const controller = new AbortController();
  let reason: AbortReason | undefined;
  const abort = (why: AbortReason): void => {
    // A job that has lost its lease can no longer be stopped.
    if (reason === undefined || why === "lost") reason = why;
    controller.abort(
      new Error(why === "stop" ? "the turn was stopped" : "the turn continues in another process"),
    );
  };
  let opened: (beginFailure?: Omit<BeginFailure, "error">) => void = () => {};
  const isOpened = new Promise<Omit<BeginFailure, "error"> | undefined>((resolve) => {
    opened = resolve;
  });
  const lease = openJobLease({
    ...{ settings, request, conversationId, turnId, isDraining: scope.isDraining },
    onStop: () => abort("stop"),
    onLost: () => abort("lost"),
  });
  const startedAt = taken?.startedAt ?? new Date();
  const recorder = createRecorder(request.agentName, startedAt);
  const job: JobParts<Ctx> = {
    ...{ options, taken, lease, recorder, startedAt, signal: controller.signal },
    reason: () => reason,
    opened,
    leaveToQueue: () => {
      if (settings.queue !== undefined && taken === undefined && lease.recentEvents() !== undefined)
        abort("hand-over");
    },
    written: { version: taken?.version, to: undefined },
  };
  const result = work(job)
    .catch(async (thrown: unknown): Promise<JobResult> => {
      await lease.settle();
      lease.close();
      if (lease.recentEvents() !== undefined) settings.onError(thrown);
      return lease.recentEvents() === undefined
        ? { kind: "refused", beginFailure: lease.refused() ?? { refusal: thrownRefusal(job, thrown) } }
        : { kind: "elsewhere" };
    })
    .then((outcome) => {
      opened(outcome.kind === "refused" ? outcome.beginFailure : undefined);
      return outcome;
    });
  return {
    ...{ conversationId, turnId, userId: request.identity.userId, result, opened: isOpened },
    recentEvents: lease.recentEvents,
    stop: () => abort("stop"),
    handOver: () => abort("hand-over"),
  };
}

async function work<Ctx>(job: JobParts<Ctx>): Promise<JobResult> {
  const { taken, lease, recorder } = job;
  if (taken !== undefined) {
    for (const event of taken.sentEvents) recorder.observe(event);
    lease.hold(taken);
    for (const event of taken.missing) lease.push(event);
    job.opened();
    if (taken.ending !== undefined) return endFailed(job, taken.ending, lostReport(job, taken.ending));
    if (taken.stopped !== undefined)
      return endStopped(job, taken.stopped, { type: "turn_end", status: "stopped" });
    // If the turn ends this process, the take-over must be in the log: the log counts the take-overs.
    if (!(await lease.flush())) {
      lease.close();
      return { kind: "elsewhere" };
    }
  }
  return runAgent(job, taken?.hasProgress === true);
}
