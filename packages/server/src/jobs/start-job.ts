import type { StoredEvents } from "../turns/recent-events.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import { endStopped, endTurn } from "./end-turn.ts";
import type { AbortReason, RunParts, TakenTurn, TurnLeft, TurnRunOptions } from "./job.ts";
import { openTurnSession, type Unbegun } from "./lease.ts";
import { faultRefusal, performTurn } from "./run-agent.ts";
import { createRecorder } from "./turn-record.ts";

/** A turn that runs in this process. */
export interface TurnRun extends TurnIds {
  /** Where its events are. `undefined`: it hasn't begun. */
  readonly stored: () => StoredEvents | undefined;
  readonly stop: () => void;
  readonly handOver: () => void;
  /** Resolves when the turn is in the log, or with why it isn't. Never rejects. */
  readonly opened: Promise<Omit<Unbegun, "error"> | undefined>;
  /** Never rejects. */
  readonly left: Promise<TurnLeft>;
}

/** Starts a turn, or goes on with one that was `taken` over. */
export function startTurnRun<Ctx>(options: TurnRunOptions<Ctx>, taken?: TakenTurn): TurnRun {
  const { scope, request, conversationId, turnId } = options;
  const { settings } = scope;
  const controller = new AbortController();
  let reason: AbortReason | undefined;
  const abort = (why: AbortReason): void => {
    // A turn that is lost can't be stopped any more.
    if (reason === undefined || why === "lost") reason = why;
    controller.abort(new Error(why === "stop" ? "the turn was stopped" : "the turn goes on elsewhere"));
  };
  let opened: (unbegun?: Omit<Unbegun, "error">) => void = () => {};
  const isOpened = new Promise<Omit<Unbegun, "error"> | undefined>((resolve) => {
    opened = resolve;
  });
  const session = openTurnSession({
    ...{ settings, request, conversationId, turnId, isDraining: scope.isDraining },
    gatherMs: scope.gatherMs,
    onStop: () => abort("stop"),
    onLost: () => abort("lost"),
  });
  const recorder = createRecorder(request.agentName, taken?.startedAt ?? new Date());
  const run: RunParts<Ctx> = {
    ...{ options, taken, session, recorder, signal: controller.signal },
    reason: () => reason,
    opened,
    written: { version: taken?.version, to: undefined, count: 0 },
  };
  const whenLeft = work(run)
    .catch(async (thrown: unknown): Promise<TurnLeft> => {
      await session.settle();
      session.close();
      if (session.stored() !== undefined) settings.onError(thrown);
      return session.stored() === undefined
        ? { kind: "refused", unbegun: session.refused() ?? { refusal: faultRefusal(run, thrown) } }
        : { kind: "elsewhere" };
    })
    .then((how) => {
      opened(how.kind === "refused" ? how.unbegun : undefined);
      return how;
    });
  return {
    ...{ conversationId, turnId, left: whenLeft, opened: isOpened },
    stored: session.stored,
    stop: () => abort("stop"),
    handOver: () => abort("hand-over"),
  };
}

async function work<Ctx>(run: RunParts<Ctx>): Promise<TurnLeft> {
  const { taken, session, recorder } = run;
  if (taken !== undefined) {
    for (const event of taken.told) recorder.observe(event);
    session.hold(taken);
    for (const event of taken.missing) session.push(event);
    run.opened();
    if (taken.ending !== undefined) return endTurn(run, taken.ending);
    if (taken.stopped !== undefined)
      return endStopped(run, taken.stopped, { type: "turn_end", status: "stopped" });
  }
  return performTurn(run, taken?.hasProgress === true);
}
