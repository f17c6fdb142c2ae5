import {
  type PromptOptions,
  type PromptResult,
  type RunUserMemory,
  UserFacingError,
  type UserMemoryObserver,
} from "@jaf/core";
import { createJobClient, type PromptJob } from "@jaf/core/internal";
import type { MemoryErrorUnion, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId, present } from "@jaf/memory/internal";
import { createEventMapper, type EventMapper } from "../turns/event-mapper.ts";
import { refusalOfError, refusalOfThrown } from "../turns/turn-errors.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";
import { makeConversation } from "./conversation.ts";
import { createEditProvider, editKey } from "./edit.ts";
import { endStopped, endTurn, FAULT, failedEnd, faultEnd, turnEndOf } from "./end-turn.ts";
import { type JobClients, type JobOptions, type JobParts, type JobResult, recordWrite } from "./job.ts";
import type { TurnSettings } from "./options.ts";
import { faultReport, reportOf, toolReportOf } from "./turn-report.ts";

/** Runs the agent for a turn and ends the turn. `isResumption`: the run continues from the stored messages, without the input. */
export async function runAgent<Ctx>(job: JobParts<Ctx>, isResumption: boolean): Promise<JobResult> {
  const { options, lease, taken } = job;
  const mapper = createEventMapper({
    agentName: options.request.agentName,
    push: lease.push,
  });
  const settled = await prompt(job, mapper, isResumption);
  // If the previous process has stored part of a continuation, the same continuation no longer matches the conversation.
  if (
    taken !== undefined &&
    !isResumption &&
    refusalOf(settled) !== undefined &&
    job.reason() === undefined &&
    (await isInPlace(job))
  ) {
    return conclude(job, mapper, await prompt(job, mapper, true));
  }
  return conclude(job, mapper, settled);
}

/**
 * Checks whether a turn can be resumed from the stored messages. For an edit, the edit must be stored: before that, the
 * conversation still has the old messages.
 */
async function isInPlace<Ctx>({ options }: JobParts<Ctx>): Promise<boolean> {
  const { scope, request, conversationId, turnId } = options;
  if (request.edit === undefined) return true;
  const read = await scope.settings.provider.readConversation(conversationId, {
    ...{ messages: "none", receiptFor: editKey(turnId) },
  });
  return read.success && read.data.receipt !== undefined;
}

type Settled = { readonly result: PromptResult<unknown> } | { readonly thrown: unknown };

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
  const client = scope.clients.get(request.agentName);
  if (client === undefined) return { thrown: new TypeError("Invalid prompt input: unknown agent.") };
  try {
    const result = await client.prompt(isResumption ? [] : request.input, promptOptions(job, isResumption), {
      userId,
      conversation:
        newConversation === undefined
          ? conversationId
          : () => makeConversation(settings.provider, userId, newConversation),
      provider: isResumption ? undefined : editProviderOf(options),
      context: () => settings.context(identity),
      middleware: recorder.middleware<Ctx>(() => beginBeforeCall(job)),
      userMemory: settings.config.userMemory && observed(settings.config.userMemory, recorder),
      memory: taken && takeOverMemory(settings),
      writes: writesOf(job),
      sink: (event) => {
        const report = toolReportOf(job, event);
        if (report !== undefined) settings.onError(report);
        recorder.take(event);
        mapper.take(event);
      },
    });
    return { result };
  } catch (thrown) {
    return { thrown };
  }
}

/** Returns a user memory that also tells `observer` which facts the model receives. The turn's record then names these facts. */
const observed = (userMemory: RunUserMemory, observer: UserMemoryObserver): RunUserMemory => ({
  middlewareFor: (spec) => userMemory.middlewareFor(spec, observer),
});

/**
 * Begins the turn in the log, unless the turn has begun. The engine has already checked the request, so a refused request leaves no
 * turn in the log.
 */
async function begin<Ctx>(
  { lease, opened, options }: JobParts<Ctx>,
  expectedVersion = options.request.edit?.version,
): Promise<MemoryErrorUnion | undefined> {
  const beginFailure = await lease.begin(expectedVersion);
  if (beginFailure === undefined) opened();
  return beginFailure?.error;
}

const writesOf = <Ctx>(job: JobParts<Ctx>): PromptJob<Ctx>["writes"] => ({
  beforeWrite: async (known) => {
    // The lease is lost: another process has the turn, and this one must not write.
    if (job.reason() === "lost")
      return { refused: createMemoryConflictError("lease", { operation: "appendMessages" }) };
    const beginsTurn = job.lease.beginWith(known);
    return beginsTurn === undefined ? { refused: await begin(job, known.version) } : { beginsTurn };
  },
  onWritten: (receipt) => {
    recordWrite(job, receipt);
    if (job.lease.confirmBegun()) job.opened();
  },
});

/** Begins the turn before a model call, if no earlier write has begun the turn. Throws if the turn can't begin. */
async function beginBeforeCall<Ctx>(job: JobParts<Ctx>): Promise<void> {
  const beginFailure = await retryWithBackoff(() => begin(job), {
    maxAttempts: 3,
    isTransientResult: (error) => error?.retryable === true,
    signal: job.signal,
  });
  if (beginFailure !== undefined) throw new Error("the turn can't begin");
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
 * Ends the turn according to the run's result. Leaves the turn running if another process has it or will continue it. Returns
 * `"refused"` if the turn never began.
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
    const refused = refusalOf(settled);
    const failed = "thrown" in settled ? faultRefusal(job, settled.thrown) : undefined;
    const why = refused ?? failed;
    const beginFailure = lease.refused() ?? (why && { refusal: why }) ?? (await lease.begin());
    if (beginFailure !== undefined) {
      // A late write of the engine must not begin the turn.
      lease.close();
      return { kind: "refused", beginFailure };
    }
  }
  if (job.reason() === "hand-over" && hasFailed) {
    await lease.release();
    return { kind: "handed-over" };
  }
  job.opened();
  if ("thrown" in settled) {
    const refused = refusalOf(settled);
    if (refused === undefined)
      return endTurn(job, faultEnd(settled.thrown), faultReport(job, settled.thrown));
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
    return endTurn(job, ending, reportOf(job, outcome.error));
  if (ending.status !== "stopped") return endTurn(job, ending);
  return endStopped(job, { openText: mapper.openText(), agentName: mapper.agentName() }, ending);
}

/**
 * Converts an error that was thrown before the turn began into a refusal. The refusal of a `UserFacingError` has the error's
 * message. Any other error becomes the refusal because of an internal error, and is reported if it is a bug.
 */
export function faultRefusal<Ctx>({ options }: JobParts<Ctx>, thrown: unknown): TurnRefusal {
  if (thrown instanceof UserFacingError)
    return { reason: "forbidden", message: thrown.message, retryable: false };
  if (refusalOfThrown(thrown) === undefined) options.scope.settings.onError(thrown);
  return { reason: "store", message: FAULT.message, retryable: false };
}

/** Creates a client for each agent. Throws a `TypeError` if a setting is invalid and would fail in every turn. */
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

/**
 * A run that takes over a turn waits for the previous run's lease of the conversation. It waits for the duration of this lease
 * plus this margin, in ms.
 */
const QUEUE_MARGIN_MS = 15_000;

/**
 * Memory settings of a run that takes over a turn: the run waits until the previous process's lease of the conversation expires.
 */
const takeOverMemory = <Ctx>(settings: TurnSettings<Ctx>) =>
  ({ concurrency: "queue", queueTimeoutMs: leaseMsOf(settings) + QUEUE_MARGIN_MS }) as const;
