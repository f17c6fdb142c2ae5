import type { PromptOptions, PromptResult } from "@jaf/core";
import { createJobClient, type PromptJob } from "@jaf/core/internal";
import type { MemoryErrorUnion, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId, present } from "@jaf/memory/internal";
import { createEventFlow, type EventFlow } from "../turns/event-mapper.ts";
import { refusalOfError, refusalOfThrown } from "../turns/turn-errors.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";
import { makeConversation } from "./conversation.ts";
import { editKey, viewBeforeEdit } from "./edit.ts";
import { endStopped, endTurn, FAULT, failedEnd, turnEndOf } from "./end-turn.ts";
import { noteWrite, type RunParts, type TurnClients, type TurnLeft, type TurnRunOptions } from "./job.ts";
import type { TurnSettings } from "./options.ts";

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
  const { options, recorder, taken } = run;
  const { scope, request, conversationId, newConversation } = options;
  const { settings } = scope;
  const { identity } = request;
  const { userId } = identity;
  const client = scope.clients.get(request.agentName);
  if (client === undefined) return { thrown: new TypeError("Invalid prompt input: there is no such agent.") };
  try {
    const result = await client.prompt(isResumption ? [] : request.input, promptOptions(run, isResumption), {
      userId,
      conversation:
        newConversation === undefined
          ? conversationId
          : () => makeConversation(settings.provider, userId, newConversation),
      provider: isResumption ? undefined : viewOfEdit(options),
      context: () => settings.context(identity),
      middleware: recorder.middleware<Ctx>(() => beginBeforeCall(run)),
      userMemory: settings.userMemory?.({ onInjected: recorder.onInjected }) ?? settings.config.userMemory,
      memory: taken && memoryOfTakeOver(settings),
      writes: writesOf(run),
      sink: flow.take,
    });
    return { result };
  } catch (thrown) {
    return { thrown };
  }
}

/** Begins the turn, unless it has begun. By now the engine has judged the request and stored nothing: one that it refuses leaves no turn. */
async function begin<Ctx>(
  { session, opened, options }: RunParts<Ctx>,
  expectedVersion = options.request.edit?.version,
): Promise<MemoryErrorUnion | undefined> {
  const unbegun = await session.begin(expectedVersion);
  if (unbegun === undefined) opened();
  return unbegun?.error;
}

const writesOf = <Ctx>(run: RunParts<Ctx>): PromptJob<Ctx>["writes"] => ({
  beforeWrite: async (expectedVersion) =>
    // After that this process may not write any more: another one has the turn.
    run.reason() === "lost"
      ? createMemoryConflictError("lease", { operation: "appendMessages" })
      : begin(run, expectedVersion),
  onWritten: (receipt) => noteWrite(run, receipt),
});

/** Where nothing is written before the model is called. */
async function beginBeforeCall<Ctx>(run: RunParts<Ctx>): Promise<void> {
  const unbegun = await retryWithBackoff(() => begin(run), {
    maxAttempts: 3,
    isTransientResult: (error) => error?.retryable === true,
    signal: run.signal,
  });
  if (unbegun !== undefined) throw new Error("the turn can't begin");
}

function viewOfEdit<Ctx>({
  scope,
  request,
  conversationId,
  turnId,
}: TurnRunOptions<Ctx>): VersionedMemoryProvider | undefined {
  const { edit, dropLast } = request;
  if (edit === undefined || dropLast === undefined) return undefined;
  return viewBeforeEdit(scope.settings.provider, { ...edit, conversationId, turnId, dropLast });
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
    ...(isResumption ? {} : present({ approvals, toolResults, messages, historyToken })),
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

/** Throws a `TypeError` for what would fail in each turn. */
export function createTurnClients<Ctx>(settings: TurnSettings<Ctx>): TurnClients<Ctx> {
  const { agents, provider, config } = settings;
  const { agentRegistry, memory: _, userMemory: shared, ...run } = config;
  // To be checked. Each turn has its own.
  const userMemory = settings.userMemory?.({ onInjected: () => {} }) ?? shared;
  const clientConfig = {
    ...run,
    agents: new Map([...(agentRegistry ?? []), ...agents]),
    memory: memoryOf(settings),
    store: provider,
    ...present({ userMemory }),
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
    leaseMs: turnLeaseMsOf({ config, leaseSeconds }),
    // The log says who has the turn.
    concurrency: "reject" as const,
  };
}

const turnLeaseMsOf = <Ctx>({
  config,
  leaseSeconds,
}: Pick<TurnSettings<Ctx>, "config" | "leaseSeconds">): number =>
  config.memory.leaseMs ?? Math.max(1_000, leaseSeconds * 1_000);

/** How long a run that takes over waits for the lease of the one before, beyond that lease. */
const QUEUE_MARGIN_MS = 15_000;

/** Of a run that takes the place of one whose process may have left a lease: it waits for that to end. */
const memoryOfTakeOver = <Ctx>(settings: TurnSettings<Ctx>) =>
  ({ concurrency: "queue", queueTimeoutMs: turnLeaseMsOf(settings) + QUEUE_MARGIN_MS }) as const;
