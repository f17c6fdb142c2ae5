import type { PromptInput, PromptOptions, PromptResult } from "@jaf/core";
import type { VersionedMemoryProvider, WriteOptions } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId } from "@jaf/memory/engine";
import { editKey, viewBeforeEdit } from "./edit-view.ts";
import { endStopped, endTurn } from "./end-turn.ts";
import { createEventFlow, type EventFlow } from "./event-flow.ts";
import { clientOfTurn } from "./turn-client.ts";
import { FAULT, failedEnd, turnEndOf } from "./turn-end.ts";
import { refusalOfError, refusalOfThrown } from "./turn-errors.ts";
import type { TurnGate } from "./turn-gate.ts";
import { noteWrite, type RunParts, type TurnLeft, type TurnRunOptions } from "./turn-parts.ts";
import type { TurnRefusal } from "./turn-service.ts";

/** Runs the agent. */
export async function performTurn<Ctx>(run: RunParts<Ctx>, isResumption: boolean): Promise<TurnLeft> {
  const { options, session, taken } = run;
  const flow = createEventFlow({
    agentName: options.request.agentName,
    push: session.push,
  });
  const settled = await prompt(run, flow, isResumption);
  // What the process before had stored of a continuation makes the same continuation one that doesn't fit any more.
  if (
    taken !== undefined &&
    !isResumption &&
    refusalOf(settled) !== undefined &&
    run.reason() === undefined &&
    (await isInPlace(run))
  ) {
    return conclude(run, flow, await prompt(run, flow, true));
  }
  return conclude(run, flow, settled);
}

/** Whether what was said may be in the conversation. An edit that isn't can't be gone on with: the old messages are there. */
async function isInPlace<Ctx>({ options }: RunParts<Ctx>): Promise<boolean> {
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

async function prompt<Ctx>(run: RunParts<Ctx>, flow: EventFlow, isResumption: boolean): Promise<Settled> {
  const { options, session, recorder, taken, signal } = run;
  const { scope, request, conversationId, turnId, newConversation } = options;
  const begin = async (expectedVersion?: number) => {
    const unbegun = await session.begin(expectedVersion);
    if (unbegun === undefined) run.opened();
    return unbegun?.error;
  };
  const beforeCall = async (): Promise<void> => {
    const unbegun = await retryWithBackoff(() => begin(request.edit?.version), {
      maxAttempts: 3,
      isTransientResult: (error) => error?.retryable === true,
      signal,
    });
    if (unbegun !== undefined) throw new Error("the turn can't begin");
  };
  const gate: TurnGate = {
    pass: async (write: WriteOptions | undefined) => {
      // After that nobody may write: the turn is somebody else's.
      if (run.reason() === "lost") return createMemoryConflictError("turn", { operation: "appendMessages" });
      return begin(write?.expectedVersion ?? request.edit?.version);
    },
    wrote: (receipt) => noteWrite(run, receipt),
  };
  const client = clientOfTurn(scope.settings, isResumption ? scope.gated.provider : providerOf(options), {
    ...{ agentName: request.agentName, identity: request.identity, newConversation },
    middleware: recorder.middleware<Ctx>(beforeCall),
    onInjected: recorder.onInjected,
    isTakenOver: taken !== undefined,
  });
  if (client === undefined) return { thrown: new TypeError("Invalid prompt input: there is no such agent.") };
  scope.gated.add(turnId, gate);
  try {
    const user = client.forUser(request.identity.userId);
    const prompted = newConversation === undefined ? user.continue(conversationId) : user;
    const input: PromptInput = isResumption ? [] : request.input;
    const stream = prompted.stream(input, promptOptions(run, isResumption));
    stream.result.catch(() => {});
    for await (const event of stream) flow.take(event);
    return { result: await stream.result };
  } catch (thrown) {
    return { thrown };
  } finally {
    scope.gated.remove(turnId, gate);
  }
}

function providerOf<Ctx>({ scope, request, ...turn }: TurnRunOptions<Ctx>): VersionedMemoryProvider {
  const { edit, dropLast } = request;
  const { provider } = scope.gated;
  if (edit === undefined || dropLast === undefined) return provider;
  const { conversationId, turnId } = turn;
  return viewBeforeEdit(provider, { ...edit, conversationId, turnId, dropLast });
}

function promptOptions<Ctx>(
  { options, recorder, signal }: RunParts<Ctx>,
  isResumption: boolean,
): PromptOptions<Ctx> {
  const { request, turnId } = options;
  const { approvals, toolResults, messages, historyToken } = request;
  return {
    ...{ runId: createRunId(turnId), traceId: createTraceId(turnId), signal },
    onEvent: recorder.take,
    ...(isResumption
      ? {}
      : {
          ...(approvals === undefined ? {} : { approvals }),
          ...(toolResults === undefined ? {} : { toolResults }),
          ...(messages === undefined ? {} : { messages }),
          ...(historyToken === undefined ? {} : { historyToken }),
        }),
  };
}

/** Ends the turn as the run has ended, unless it is for another process to go on with. */
async function conclude<Ctx>(run: RunParts<Ctx>, flow: EventFlow, settled: Settled): Promise<TurnLeft> {
  const { session, options } = run;
  const hasFailed = "thrown" in settled || settled.result.outcome.status === "error";
  if (run.reason() === "lost") {
    session.close();
    return { kind: "elsewhere" };
  }
  await session.settle();
  if (session.stored() === undefined) {
    const refused = refusalOf(settled);
    const failed = "thrown" in settled ? faultRefusal(run, settled.thrown) : undefined;
    const why = refused ?? failed;
    const unbegun = session.refused() ?? (why && { refusal: why }) ?? (await session.begin());
    if (unbegun !== undefined) {
      // A write that the engine still makes must not begin it.
      session.close();
      return { kind: "refused", unbegun };
    }
  }
  if (run.reason() === "hand-over" && hasFailed) {
    await session.release();
    return { kind: "handed-over" };
  }
  run.opened();
  if ("thrown" in settled) {
    const refused = refusalOf(settled);
    if (refused === undefined) options.scope.settings.onError(settled.thrown);
    const { message } = refused ?? FAULT;
    return endTurn(
      run,
      failedEnd(refused === undefined ? FAULT : { code: "ContinuationRejected", message, retryable: false }),
    );
  }
  const agent = options.scope.settings.agents.get(options.request.agentName);
  const ending = turnEndOf(settled.result, {
    hasOutput: agent?.outputCodec !== undefined,
    isStopped: run.reason() === "stop",
  });
  if (ending.status !== "stopped") return endTurn(run, ending);
  return endStopped(run, { openText: flow.openText(), agentName: flow.agentName() }, ending);
}

/** Something threw that isn't the client's fault, before the turn began: the refusal that says so. */
export function faultRefusal<Ctx>({ options }: RunParts<Ctx>, thrown: unknown): TurnRefusal {
  if (refusalOfThrown(thrown) === undefined) options.scope.settings.onError(thrown);
  return { reason: "store", message: FAULT.message, retryable: false };
}
