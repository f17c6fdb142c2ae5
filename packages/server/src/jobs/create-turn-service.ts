import { present } from "@jaf/memory/internal";
import { pause } from "../pause.ts";
import { createEventPoller } from "../turns/event-poller.ts";
import { followTurn } from "../turns/follow-turn.ts";
import { failedEnd, LOST } from "../turns/turn-ends.ts";
import { invalid, refusal, TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { StartedTurn, TurnIds, TurnRefusal, TurnRequest, TurnService } from "../turns/turn-service.ts";
import type { BeginFailure } from "./begin-turn.ts";
import { type ResolvedTarget, resolveTarget } from "./conversation.ts";
import { openInboxTurns } from "./inbox-turns.ts";
import { type JobScope, turnKey } from "./job.ts";
import { createJobClients } from "./job-clients.ts";
import { createNamedTurns } from "./named-turns.ts";
import { openQueuedTurns } from "./queued-turns.ts";
import { startRecovery } from "./recovery.ts";
import { type Job, startJob } from "./start-job.ts";
import type { StoredRequest } from "./stored-request.ts";
import { startTimerSearch } from "./timer-search.ts";
import { openTimers } from "./timers.ts";
import { parseTurnOptions, type TurnServiceOptions } from "./turn-options.ts";
import { createTurnTaker } from "./turn-taker.ts";

/** How long reads of the turn log may fail before readers get an error, in ms. */
const GIVE_UP_MS = 30_000;
/** Time limit for handing over turns at shutdown, in ms. */
const HAND_OVER_MS = 3_000;

/** Creates the service that runs turns of agents. Throws a `TypeError` that names the invalid option. */
export function createTurnService<Ctx>(options: TurnServiceOptions<Ctx>): TurnService {
  const settings = parseTurnOptions(options);
  const { log, provider, pollMs } = settings;
  const jobs = new Map<string, Job>();
  /** Submissions to the queue that are under way. */
  const submitting = new Set<Promise<void>>();
  const over = new AbortController();
  const draining = new AbortController();
  let isDraining = false;

  const scope: JobScope<Ctx> = {
    ...{ settings, clients: createJobClients(settings), isDraining: () => isDraining },
    timers: settings.timers && openTimers(settings.timers, provider),
  };
  const poller = createEventPoller({ log, pollMs, giveUpMs: GIVE_UP_MS });
  const follow = {
    poller,
    recentEventsOf: (turn: TurnIds) => jobs.get(turnKey(turn))?.recentEvents(),
  };

  function track(job: Job): void {
    const key = turnKey(job);
    jobs.set(key, job);
    void job.result.then((result) => {
      if (jobs.get(key) === job) jobs.delete(key);
      if (result.kind === "left") recovery.adopt(job);
      if (result.kind === "ended") void inboxTurns?.goOn(job, { hasFailed: result.end.status === "error" });
    });
  }

  const taker = createTurnTaker({ scope, onJob: track, signal: draining.signal });
  const queued = openQueuedTurns({ settings, taker, isDraining: () => isDraining });
  const recovery = startRecovery({ scope, taker, submit: queued.submit, signal: draining.signal });

  /**
   * Reads a turn's events from number `from` on, and resolves with its `turn_end` event. If this event can't be read,
   * resolves with a `turn_end` event that has the error `LOST`.
   */
  async function endInLog(turn: TurnIds, from: number): Promise<TurnEnd> {
    try {
      const query = { ...turn, from, signal: over.signal };
      for await (const events of followTurn(follow, query)) {
        const last = events.at(-1)?.event;
        if (last?.type === "turn_end") return last;
      }
    } catch (thrown) {
      settings.onError(thrown);
    }
    return failedEnd(LOST);
  }

  async function endOf(job: Job): Promise<TurnEnd> {
    const result = await job.result;
    return result.kind === "ended" ? result.end : endInLog(job, 0);
  }

  const started = (turn: TurnIds, ended: Promise<TurnEnd>): StartedTurn => ({
    ...{ started: true, conversationId: turn.conversationId, turnId: turn.turnId, ended },
  });

  async function refused(
    turn: TurnIds,
    { target, isNamed }: { readonly target: ResolvedTarget; readonly isNamed: boolean },
    beginFailure: Omit<BeginFailure, "error">,
  ): Promise<StartedTurn> {
    if (beginFailure.isOrphaned === true) {
      recovery.adopt(turn);
      return started(turn, endInLog(turn, 0));
    }
    // A named turn may be another process's, which mustn't be stopped.
    if (beginFailure.isUnwanted === true) (isNamed ? recovery.adopt : recovery.abandon)(turn);
    // No client knows this id.
    if ("isRandom" in target && target.isRandom) await provider.deleteConversation(turn.conversationId);
    return notStarted(await withTurn(turn.conversationId, beginFailure.refusal));
  }

  /** Adds the running turn's id to a refusal with the reason `"running"`. Returns other refusals unchanged. */
  async function withTurn(conversationId: string, why: TurnRefusal): Promise<TurnRefusal> {
    if (why.reason !== "running" || why.turnId !== undefined) return why;
    const latest = await log.read({ conversationId, limit: 1 });
    const turn = latest.success ? latest.data?.turn : undefined;
    return turn?.state === "running" ? { ...why, turnId: turn.turnId } : why;
  }

  const startNamed = createNamedTurns({
    log,
    join: (turn) => {
      const job = jobs.get(turnKey(turn));
      return started(turn, job === undefined ? endInLog(turn, 0) : endOf(job));
    },
  });

  async function start(request: TurnRequest): Promise<StartedTurn> {
    if (isDraining) return notStarted(refusal("draining"));
    if (!settings.agents.has(request.agentName)) return notStarted(invalid("Unknown agent."));
    if (!isPriority(request.priority))
      return notStarted(invalid("Expected a priority from -1,000 to 1,000."));
    const { target, turnId, identity } = request;
    const conversationId = "newId" in target ? target.newId : target.conversationId;
    if (turnId === undefined || conversationId === undefined) return startAs(crypto.randomUUID(), request);
    const turn = { conversationId, turnId, userId: identity.userId };
    return startNamed(turn, () => startAs(turnId, request));
  }

  async function startAs(turnId: string, request: TurnRequest): Promise<StartedTurn> {
    const target = await resolveTarget(provider, request);
    if ("refusal" in target) return notStarted(target.refusal);
    const { conversationId } = target;
    const { title, chatId } = "newId" in request.target ? request.target : {};
    const job = startJob({
      ...{ scope, conversationId, turnId },
      request: { ...storable(request), ...("dropLast" in target ? { dropLast: target.dropLast } : {}) },
      newConversation: target.found ? undefined : { conversationId, title, chatId, key: `${turnId}:create` },
    });
    track(job);
    if (queued.submit !== undefined) submitOnce(job, request.priority);
    const beginFailure = await job.opened;
    if (beginFailure !== undefined)
      return refused(job, { target, isNamed: turnId === request.turnId }, beginFailure);
    return started(job, endOf(job));
  }

  /** Submits a turn to the queue once this process has handed it over. */
  function submitOnce({ conversationId, turnId, userId, result }: Job, priority: number | undefined): void {
    const done = result.then(async ({ kind }) => {
      if (kind === "handed-over") await queued.submit?.({ conversationId, turnId, userId, priority });
    });
    submitting.add(done);
    void done.finally(() => submitting.delete(done));
  }

  async function stop(turn: TurnIds): Promise<boolean> {
    const asked = await log.requestStop(turn);
    if (!asked.success) throw new TurnStoreError(asked.error);
    // The log keeps the request for a process that takes over. A job in this process is stopped directly.
    const job = jobs.get(turnKey(turn));
    if (asked.data && job === undefined) void queued.endStopped(turn);
    if (asked.data) job?.stop();
    return asked.data;
  }

  async function drain({
    timeoutMs,
  }: {
    readonly timeoutMs: number;
  }): Promise<{ readonly handedOver: number }> {
    isDraining = true;
    draining.abort();
    const stopped = Promise.all([recovery.settled(), inboxTurns?.settled(), timerSearch, ...submitting]);
    const closed = queued.close();
    await within(
      Promise.all([stopped, closed, ...[...jobs.values()].map(({ result }) => result)]),
      timeoutMs,
    );
    // Includes jobs that were taken over meanwhile.
    const all = [...jobs.values()];
    for (const job of all) job.handOver();
    await within(Promise.all([stopped, closed, ...all.map(({ result }) => result)]), HAND_OVER_MS);
    // A job that doesn't end in time isn't handed over. Its lease expires.
    const results = await Promise.all(all.map((job) => (jobs.has(turnKey(job)) ? undefined : job.result)));
    return { handedOver: results.filter((result) => result?.kind === "handed-over").length };
  }

  const startSafely = (request: TurnRequest): Promise<StartedTurn> =>
    start(request).catch((thrown: unknown) => {
      settings.onError(thrown);
      return notStarted(refusal("store", { retryable: true }));
    });
  const inbox = settings.config.memory.inbox?.store;
  const inboxTurns =
    inbox && openInboxTurns({ inbox, settings, start: startSafely, signal: draining.signal });
  const timerSearch =
    settings.timers &&
    inbox &&
    inboxTurns &&
    startTimerSearch({
      ...{ timers: settings.timers, settings, inbox, goOn: inboxTurns.goOn, signal: draining.signal },
    });

  return {
    start: startSafely,
    ...(inboxTurns && { send: inboxTurns.send }),
    ...present({ timers: scope.timers }),
    follow: (query) => followTurn(follow, query),
    stop: ({ conversationId, turnId }) => stop({ conversationId, turnId }),
    continueTurn: ({ conversationId, turnId }, signal) =>
      queued.continueTurn({ conversationId, turnId }, signal),
    running: () => jobs.size,
    drain,
    close: async () => {
      await drain({ timeoutMs: 0 });
      over.abort();
      poller.close();
    },
  };
}

const isPriority = (priority = 0): boolean => Number.isSafeInteger(priority) && Math.abs(priority) <= 1_000;

const notStarted = (why: TurnRefusal): StartedTurn => ({ started: false, refusal: why });

function storable({
  target: _,
  turnId: __,
  priority: ___,
  ...request
}: TurnRequest): Omit<StoredRequest, "base"> {
  return request;
}

async function within(task: Promise<unknown>, ms: number): Promise<void> {
  const done = new AbortController();
  await Promise.race([task, pause(ms, done.signal)]);
  done.abort();
}
