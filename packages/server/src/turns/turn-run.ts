import type { PromptInput, PromptOptions, PromptResult } from "@jaf/core";
import type { Message, RichMessage, WriteOptions } from "@jaf/memory";
import { createMemoryConflictError, retryWithBackoff } from "@jaf/memory/adapter";
import { createRunId, createTraceId } from "@jaf/memory/engine";
import { createEventFlow, type EventFlow } from "./event-flow.ts";
import { decodeEvent, encodeEvent } from "./event-text.ts";
import type { TurnSettings } from "./options.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { saidMessages } from "./said-messages.ts";
import { appendRepeatedly } from "./server-write.ts";
import type { StoredEvents } from "./stored-events.ts";
import type { ConversationBase, StoredRequest } from "./stored-request.ts";
import { clientOfTurn, type NewConversation } from "./turn-client.ts";
import { FAULT, failedEnd, turnEndOf } from "./turn-end.ts";
import { invalid, refusalOfError, refusalOfThrown, storeRefusal } from "./turn-errors.ts";
import type { TurnEnd, TurnEvent } from "./turn-event.ts";
import type { GatedProvider, TurnGate } from "./turn-gate.ts";
import type { TurnRefusal } from "./turn-service.ts";
import {
  type HeldTurn,
  openTurnSession,
  type TurnIds,
  type TurnSession,
  type Unbegun,
} from "./turn-session.ts";

/** What all turns of a service share. */
export interface TurnScope<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly gated: GatedProvider;
  readonly isDraining: () => boolean;
}

export interface TurnRunOptions<Ctx> extends TurnIds {
  readonly scope: TurnScope<Ctx>;
  readonly request: Omit<StoredRequest, "base">;
  readonly newConversation?: NewConversation | undefined;
}

/** How a turn was left by this process. */
export type TurnLeft =
  | { readonly kind: "ended"; readonly end: TurnEnd }
  /** Another process has it, or nobody. The log tells how it ends. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "handed-over" }
  | { readonly kind: "refused"; readonly unbegun: Omit<Unbegun, "error"> };

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

/** What a taken over turn goes on from. */
export interface TakenTurn extends HeldTurn {
  readonly startedAt: Date;
  /** What the turn has told before, for its record. */
  readonly told: readonly TurnEvent[];
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

type Reason = "stop" | "lost" | "hand-over";

/** Starts a turn, or goes on with one that was `taken` over. */
export function startTurnRun<Ctx>(options: TurnRunOptions<Ctx>, taken?: TakenTurn): TurnRun {
  const { scope, request, conversationId, turnId } = options;
  const { settings } = scope;
  const controller = new AbortController();
  let reason: Reason | undefined;
  const abort = (why: Reason): void => {
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
      session.close();
      if (session.stored() !== undefined) settings.onError(thrown);
      return session.stored() === undefined
        ? { kind: "refused", unbegun: { refusal: fault(run, thrown) } }
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

interface RunParts<Ctx> {
  readonly options: TurnRunOptions<Ctx>;
  readonly taken: TakenTurn | undefined;
  readonly session: TurnSession;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly reason: () => Reason | undefined;
  readonly opened: () => void;
  /** What this process has written to the conversation in the turn. */
  readonly written: { version: number | undefined; to: number | undefined; count: number };
}

async function work<Ctx>(run: RunParts<Ctx>): Promise<TurnLeft> {
  const { options, taken, session, recorder } = run;
  if (taken !== undefined) {
    for (const event of taken.told) recorder.observe(event);
    session.hold(taken);
    for (const event of taken.missing) session.push(event);
    run.opened();
    if (taken.ending !== undefined) return end(run, taken.ending);
    if (taken.stopped !== undefined)
      return endStopped(run, taken.stopped, { type: "turn_end", status: "stopped" });
  } else if (options.request.edit !== undefined) {
    const refused = await beginEdit(run);
    if (refused !== undefined) return refused;
  }
  return perform(run, taken?.hasProgress === true || options.request.edit !== undefined);
}

/** Begins the turn, and puts the input in the place of what was said. */
async function beginEdit<Ctx>(run: RunParts<Ctx>): Promise<TurnLeft | undefined> {
  const { session, options } = run;
  const { request } = options;
  const unbegun = await session.begin(request.edit?.version);
  if (unbegun !== undefined) return { kind: "refused", unbegun };
  const base = session.base();
  const edited = base === undefined ? undefined : await applyEdit(options, base);
  if (edited?.success !== true) {
    // Somebody who isn't of this server was faster: the turn has begun, and ends at once.
    await end(run, failedEnd({ code: "MemoryError", message: "The edit was refused.", retryable: false }));
    const refused = edited === undefined ? invalid("There is nothing to say.") : storeRefusal(edited.error);
    return { kind: "refused", unbegun: { refusal: refused } };
  }
  noteWrite(run, edited.receipt);
  run.opened();
  return undefined;
}

/** Drops what is edited and appends the input, in one step, once. `undefined`: there is no input. */
export async function applyEdit<Ctx>(
  { scope, request, conversationId, turnId }: TurnRunOptions<Ctx>,
  base: ConversationBase,
) {
  const said = saidMessages(request.input);
  if (said === undefined || said.length === 0) return undefined;
  return appendRepeatedly(scope.settings.provider, {
    ...{ conversationId, messages: said },
    metadata: { userId: request.identity.userId, traceId: turnId },
    options: {
      dropLast: request.dropLast ?? 0,
      expectedVersion: base.version,
      expectedIncarnation: base.incarnation,
      idempotencyKey: `${turnId}:edit`,
    },
  });
}

function noteWrite<Ctx>(
  { written }: RunParts<Ctx>,
  receipt: { readonly version?: number; readonly nextPosition: number } | undefined,
): void {
  if (receipt === undefined) return;
  written.version = receipt.version ?? written.version;
  written.to = receipt.nextPosition;
  written.count += 1;
}

/** Runs the agent. */
async function perform<Ctx>(run: RunParts<Ctx>, isResumption: boolean): Promise<TurnLeft> {
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
    run.reason() === undefined
  ) {
    return conclude(run, flow, await prompt(run, flow, true));
  }
  return conclude(run, flow, settled);
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
    const unbegun = await retryWithBackoff(() => begin(), {
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
      return begin(write?.expectedVersion);
    },
    wrote: (receipt) => noteWrite(run, receipt),
  };
  scope.gated.add(turnId, gate);
  const client = clientOfTurn(scope.settings, scope.gated.provider, {
    ...{ agentName: request.agentName, identity: request.identity, newConversation },
    middleware: recorder.middleware<Ctx>(beforeCall),
    onInjected: recorder.onInjected,
    isTakenOver: taken !== undefined,
  });
  if (client === undefined) return { thrown: new TypeError("Invalid prompt input: there is no such agent.") };
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
  if (run.reason() === "hand-over" && hasFailed && session.stored() !== undefined) {
    await session.release();
    return { kind: "handed-over" };
  }
  if (session.stored() === undefined) {
    const refused = refusalOf(settled);
    const failed = "thrown" in settled ? fault(run, settled.thrown) : undefined;
    const why = refused ?? failed;
    const unbegun = session.refused() ?? (why && { refusal: why }) ?? (await session.begin());
    if (unbegun !== undefined) return { kind: "refused", unbegun };
  }
  run.opened();
  if ("thrown" in settled) {
    const refused = refusalOf(settled);
    if (refused === undefined) options.scope.settings.onError(settled.thrown);
    const { message } = refused ?? FAULT;
    return end(
      run,
      failedEnd(refused === undefined ? FAULT : { code: "ContinuationRejected", message, retryable: false }),
    );
  }
  const agent = options.scope.settings.agents.get(options.request.agentName);
  const ending = turnEndOf(settled.result, {
    hasOutput: agent?.outputCodec !== undefined,
    isStopped: run.reason() === "stop",
  });
  if (ending.status !== "stopped") return end(run, ending);
  return endStopped(run, { openText: flow.openText(), agentName: flow.agentName() }, ending);
}

/** Something threw that isn't the client's fault, before the turn began: the refusal that says so. */
function fault<Ctx>({ options }: RunParts<Ctx>, thrown: unknown): TurnRefusal {
  if (refusalOfThrown(thrown) === undefined) options.scope.settings.onError(thrown);
  return { reason: "store", message: FAULT.message, retryable: false };
}

/** Keeps what was said so far, once, as a reply of the agent. */
async function endStopped<Ctx>(
  run: RunParts<Ctx>,
  { openText, agentName }: { readonly openText: string; readonly agentName: string },
  ending: TurnEnd,
): Promise<TurnLeft> {
  const { session } = run;
  // What readers were shown is what is kept, also by a process that takes over from here.
  if (!(await session.flush())) return left(run);
  const message = openText.trim() === "" ? undefined : await keepText(run, openText);
  if (message !== undefined) session.push({ type: "message", agentName, message, stopped: true });
  return end(run, ending);
}

async function keepText<Ctx>(run: RunParts<Ctx>, text: string): Promise<Message | undefined> {
  const { options, session, written, taken } = run;
  const { scope, conversationId, turnId, request } = options;
  const { provider, config } = scope.settings;
  const base = session.base();
  if (base === undefined) return undefined;
  const message: Message = { role: "assistant", content: text };
  const hasNothing = written.count === 0 && taken === undefined && storesAtTheEnd(scope.settings);
  const { maxMessages, ttl } = config.memory;
  const kept = await appendRepeatedly(provider, {
    conversationId,
    messages: [...(hasNothing ? (saidMessages(request.input) ?? []) : []), message],
    metadata: { userId: request.identity.userId, traceId: turnId },
    options: {
      idempotencyKey: `${turnId}:stopped`,
      expectedIncarnation: base.incarnation,
      expectedVersion: written.version ?? base.version,
      ...(maxMessages === undefined ? {} : { maxMessages }),
      ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    },
  });
  if (kept.success) {
    noteWrite(run, kept.receipt);
    return message;
  }
  return kept.error._tag === "MemoryConflictError" ? storedReply(run, base) : undefined;
}

/** The reply that the run has stored after all, e.g. where the store's answer got lost. */
async function storedReply<Ctx>(
  { options: { scope, conversationId } }: RunParts<Ctx>,
  base: ConversationBase,
): Promise<Message | undefined> {
  const read = await scope.settings.provider.readConversation(conversationId, { messages: { limit: 1 } });
  if (!read.success || read.data.incarnation !== base.incarnation) return undefined;
  const last: RichMessage | undefined = read.data.conversation?.messages.at(-1);
  const isReply = last?.role === "assistant" && (last.tool_calls ?? []).length === 0;
  return isReply && read.data.firstPosition >= base.position ? (last as Message) : undefined;
}

/** Ends the turn in the log. */
async function end<Ctx>(run: RunParts<Ctx>, ending: TurnEnd): Promise<TurnLeft> {
  const { session, recorder, options } = run;
  const { eventSeconds, recordSeconds } = options.scope.settings;
  const { version, to } = await stateAtEnd(run);
  const from = session.base()?.position;
  const last: TurnEnd = version === undefined ? ending : { ...ending, version };
  const positions = from === undefined || to === undefined ? undefined : { from, to };
  const waits = (last.interruptions ?? []).length > 0;
  const ended = await session.end(last, {
    state: waits ? "waiting" : "ended",
    record: JSON.stringify(recorder.record(last, positions)),
    ...{ eventSeconds, recordSeconds },
  });
  return ended ? { kind: "ended", end: decodeEvent(encodeEvent(last)) as TurnEnd } : left(run);
}

async function left<Ctx>({ session }: RunParts<Ctx>): Promise<TurnLeft> {
  session.close();
  return { kind: "elsewhere" };
}

/** The conversation's version, and the position after its last message. */
async function stateAtEnd<Ctx>({
  written,
  session,
  options: { scope, conversationId },
}: RunParts<Ctx>): Promise<{ readonly version: number | undefined; readonly to: number | undefined }> {
  if (written.version !== undefined && written.to !== undefined) return written;
  const read = await scope.settings.provider.readConversation(conversationId, { messages: "none" });
  if (!read.success || read.data.incarnation !== session.base()?.incarnation) {
    return { version: undefined, to: undefined };
  }
  return { version: read.data.conversation?.metadata?.version, to: read.data.firstPosition };
}

const storesAtTheEnd = <Ctx>({ config: { memory } }: TurnSettings<Ctx>): boolean =>
  memory.durability === undefined ? memory.storeOnCompletion === true : memory.durability === "completed";
