import { type PromptOptions, type RunUserMemory, runInbox, type UserMemoryObserver } from "@jaf/core";
import type { PromptJob } from "@jaf/core/internal";
import type { MemoryErrorUnion, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId, present } from "@jaf/memory/internal";
import { createEventMapper, type EventMapper } from "../turns/event-mapper.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";
import type { ExpectedState } from "./begin-turn.ts";
import { conclude, refusalOf, type Settled } from "./conclude.ts";
import { makeConversation } from "./conversation.ts";
import { createEditProvider, editKey } from "./edit.ts";
import { ledgerReportOf, toolReportOf } from "./failure-report.ts";
import { inboxOf } from "./inbox-entries.ts";
import { type JobOptions, type JobParts, type JobResult, recordWrite } from "./job.ts";
import { takeOverMemory } from "./job-clients.ts";
import { timerCalls } from "./timer-calls.ts";

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
