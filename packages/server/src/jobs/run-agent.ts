import {
  type PromptOptions,
  type PromptResult,
  type RunUserMemory,
  runInbox,
  UserFacingError,
  type UserMemoryObserver,
} from "@jaf/core";
import { createJobClient, type PromptJob } from "@jaf/core/internal";
import type { MemoryErrorUnion, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId, present } from "@jaf/memory/internal";
import { createEventMapper, type EventMapper } from "../turns/event-mapper.ts";
import { FAULT, failedEnd, faultEnd, turnEndOf } from "../turns/turn-ends.ts";
import { refusalOfError, refusalOfThrown } from "../turns/turn-errors.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";
import type { ExpectedState } from "./begin-turn.ts";
import { makeConversation } from "./conversation.ts";
import { createEditProvider, editKey } from "./edit.ts";
import { endFailed, endStopped, endTurn } from "./end-turn.ts";
import { faultReport, ledgerReportOf, reportOf, toolReportOf } from "./failure-report.ts";
import { inboxOf } from "./inbox-entries.ts";
import {
  hasStored,
  type JobClients,
  type JobOptions,
  type JobParts,
  type JobResult,
  recordWrite,
} from "./job.ts";
import { timerCalls } from "./timer-calls.ts";
import type { TurnSettings } from "./turn-options.ts";

/**
 * Runs the agent for a turn and ends the turn. `isResumption`: the run continues from the stored messages, without the
 * input.
 */
export async function runAgent<Ctx>(job: JobParts<Ctx>, isResumption: boolean): Promise<JobResult> {
  const { options, lease, taken } = job;
  const mapper = createEventMapper({
    agentName: options.request.agentName,
    push: lease.push,
  });
  const settled = await prompt(job, mapper, isResumption);
  // If the previous process has stored part of a continuation, the continuation no longer matches the conversation.
  if (
    taken !== undefined &&
    !isResumption &&
    isMismatch(refusalOf(settled)) &&
    job.reason() === undefined &&
    (await isInPlace(job))
  ) {
    return conclude(job, mapper, await prompt(job, mapper, true));
  }
  return conclude(job, mapper, settled);
}

/** Whether the request doesn't match the conversation. Other refusals, e.g. of the store, say nothing about that. */
const isMismatch = (refused: TurnRefusal | undefined): boolean =>
  refused?.reason === "changed" || refused?.reason === "invalid";

/** Checks whether a turn can be resumed from the stored messages. An edit can be resumed only once it is stored. */
async function isInPlace<Ctx>({ options }: JobParts<Ctx>): Promise<boolean> {
  const { scope, request, conversationId, turnId } = options;
  // Until the edit is stored, the conversation has the messages that the edit replaces.
  if (request.edit === undefined) return true;
  const read = await scope.settings.provider.readConversation(conversationId, {
    ...{ messages: "none", receiptFor: editKey(turnId) },
  });
  return read.success && read.data.receipt !== undefined;
}

type Settled = ({ readonly result: PromptResult<unknown> } | { readonly thrown: unknown }) & {
  /** Whether the run has called a model. */
  readonly calledModel: boolean;
};

const refusalOf = (settled: Settled): TurnRefusal | undefined => {
  if ("thrown" in settled) return refusalOfThrown(settled.thrown);
  const { outcome } = settled.result;
  return outcome.status === "error" ? refusalOfError(outcome.error) : undefined;
};

async function prompt<Ctx>(job: JobParts<Ctx>, mapper: EventMapper, isResumption: boolean): Promise<Settled> {
  const { options, recorder, taken } = job;
  const { scope, request, conversationId, newConversation } = options;
  const { settings } = scope;
  const { identity } = request;
  const { userId } = identity;
  const { inbox } = settings.config.memory;
  const client = scope.clients.get(request.agentName);
  let calledModel = false;
  if (client === undefined)
    return { thrown: new TypeError("Invalid prompt input: unknown agent."), calledModel };
  try {
    const result = await client.prompt(isResumption ? [] : request.input, promptOptions(job, isResumption), {
      userId,
      conversation:
        newConversation === undefined
          ? conversationId
          : () => makeConversation(settings.provider, userId, newConversation),
      provider: isResumption ? undefined : editProviderOf(options),
      context: () => settings.context(identity),
      middleware: {
        ...recorder.middleware<Ctx>(async () => {
          await beginBeforeCall(job);
          calledModel = true;
        }),
        ...present({ wrapToolCall: timerCalls(job) }),
      },
      userMemory: settings.config.userMemory && observed(settings.config.userMemory, recorder),
      memory: {
        ...(taken && takeOverMemory(settings)),
        ...present({ inbox: inbox && runInbox(inboxOf(inbox.store, identity)) }),
      },
      writes: writesOf(job),
      sink: (event) => {
        const report = toolReportOf(job, event) ?? ledgerReportOf(job, event);
        if (report !== undefined) settings.onError(report);
        recorder.take(event);
        mapper.take(event);
      },
    });
    return { result, calledModel };
  } catch (thrown) {
    return { thrown, calledModel };
  }
}

/** Returns a user memory that reports the facts in each prompt to `observer`. */
const observed = (userMemory: RunUserMemory, observer: UserMemoryObserver): RunUserMemory => ({
  middlewareFor: (spec) => userMemory.middlewareFor(spec, observer),
});

/**
 * Begins the turn in the log, unless it has begun. Resolves with the error if the turn can't begin, and otherwise with
 * `undefined`. Call it only after the engine has checked the request.
 */
async function begin<Ctx>(
  { lease, opened, options }: JobParts<Ctx>,
  expected: ExpectedState = { version: options.request.edit?.version },
): Promise<MemoryErrorUnion | undefined> {
  // A refused request must leave no turn in the log.
  const beginFailure = await lease.begin(expected);
  if (beginFailure === undefined) opened();
  return beginFailure?.error;
}

const writesOf = <Ctx>(job: JobParts<Ctx>): PromptJob<Ctx>["writes"] => ({
  beforeWrite: async (known) => {
    // The lease is lost: another process has the turn, and this one must not write.
    if (job.reason() === "lost")
      return { refused: createMemoryConflictError("lease", { operation: "appendMessages" }) };
    const beginsTurn = job.lease.beginWith(known);
    return beginsTurn === undefined ? { refused: await begin(job, known) } : { beginsTurn };
  },
  onWritten: (receipt) => {
    recordWrite(job, receipt);
    if (job.lease.confirmBegun()) job.opened();
    job.leaveToQueue();
  },
});

/** Begins the turn in the log before a model call, unless it has begun. Throws if the turn can't begin. */
async function beginBeforeCall<Ctx>(job: JobParts<Ctx>): Promise<void> {
  const beginFailure = await retryWithBackoff(() => begin(job), {
    maxAttempts: 3,
    isTransientResult: (error) => error?.retryable === true,
    signal: job.signal,
  });
  if (beginFailure !== undefined) throw new Error("the turn can't begin");
  job.leaveToQueue();
  if (job.reason() === "hand-over") throw new Error("the turn continues in another process");
}

function editProviderOf<Ctx>({
  scope,
  request,
  conversationId,
  turnId,
}: JobOptions<Ctx>): VersionedMemoryProvider | undefined {
  const { edit, dropLast } = request;
  if (edit === undefined || dropLast === undefined) return undefined;
  return createEditProvider(scope.settings.provider, { ...edit, conversationId, turnId, dropLast });
}

function promptOptions<Ctx>({ options, signal }: JobParts<Ctx>, isResumption: boolean): PromptOptions<Ctx> {
  const { request, turnId } = options;
  const { approvals, toolResults, messages, historyToken } = request;
  return {
    ...{ runId: createRunId(turnId), traceId: createTraceId(turnId), signal },
    ...(isResumption ? {} : present({ approvals, toolResults, messages, historyToken })),
  };
}

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
async function conclude<Ctx>(job: JobParts<Ctx>, mapper: EventMapper, settled: Settled): Promise<JobResult> {
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
    options.scope.settings.recoverMs !== false
  ) {
    job.opened();
    options.scope.settings.onError(failure);
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

/** Creates an agent client for each agent. Throws a `TypeError` if a setting is invalid. */
export function createJobClients<Ctx>(settings: TurnSettings<Ctx>): JobClients<Ctx> {
  const { agents, provider, config } = settings;
  const { agentRegistry, memory: _, ...run } = config;
  const clientConfig = {
    ...run,
    agents: new Map([...(agentRegistry ?? []), ...agents]),
    memory: memoryOf(settings),
    store: provider,
  };
  return new Map([...agents].map(([name, agent]) => [name, createJobClient(agent, clientConfig)]));
}

function memoryOf<Ctx>({ config, leaseSeconds }: TurnSettings<Ctx>) {
  const { provider: _, autoStore: __, userId: ___, ...memory } = config.memory;
  return {
    ...memory,
    // With another durability, a turn that continues after a crash may repeat tools that had already finished.
    ...(memory.durability === undefined && memory.storeOnCompletion === undefined
      ? ({ durability: "step" } as const)
      : {}),
    leaseMs: leaseMsOf({ config, leaseSeconds }),
    // The turn log decides which process has the turn's lease.
    concurrency: "reject" as const,
  };
}

const leaseMsOf = <Ctx>({
  config,
  leaseSeconds,
}: Pick<TurnSettings<Ctx>, "config" | "leaseSeconds">): number =>
  config.memory.leaseMs ?? Math.max(1_000, leaseSeconds * 1_000);

/** How much longer than a lease's duration a take-over waits for the lease of the conversation, in ms. */
const QUEUE_MARGIN_MS = 15_000;

/** Returns memory settings with which a run waits until the lease of the conversation expires. */
const takeOverMemory = <Ctx>(settings: TurnSettings<Ctx>) =>
  ({ concurrency: "queue", queueTimeoutMs: leaseMsOf(settings) + QUEUE_MARGIN_MS }) as const;
