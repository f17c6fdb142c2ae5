import type { Message, RichToolCall } from "@jaf/memory";
import { calledTool, present } from "@jaf/memory/internal";
import { askedWith } from "../approvals/changed-calls.ts";
import { type AnsweredCall, type ClassifyOptions, classifyCalls } from "../approvals/classify-calls.ts";
import type { JAFError } from "../errors.ts";
import type { Interruption } from "../interruption.ts";
import { abortable, abortError } from "../limits/abort.ts";
import type { RunScope } from "../run-scope.ts";
import type { AskedCalls } from "../stored/asked-calls.ts";
import type { AppendEntry } from "../stored/lease.ts";
import { withThrown } from "../thrown.ts";
import { type ToolFailure, toAnswer, toolMessage, traceToolCall } from "../tool-calls/answer.ts";
import { decodeCall } from "../tool-calls/arguments.ts";
import { type CallBatch, executeCall, type RunnableCall } from "../tool-calls/execute-call.ts";
import { answerHandoff, isHandoff } from "../tool-calls/handoff.ts";

export interface AnsweredCalls {
  /** The results in call order. Calls that wait or didn't finish have none. */
  readonly results: readonly Message[];
  /** The calls that wait for an approval or the client. */
  readonly interruptions: readonly Interruption[];
  /** What the calls are that wait for an approval. `undefined`: it is stored already. */
  readonly asked: AskedCalls | undefined;
  /** The registry key of the agent that has the conversation now, i.e. after a handoff the new agent. */
  readonly agentName: string;
  readonly error: JAFError | undefined;
}

interface Answer {
  readonly message: Message;
  readonly error: JAFError | undefined;
}

/** How far answering the calls of a reply has got. */
interface Progress {
  readonly answered: Map<RichToolCall, Answer>;
  /** The writes of answers that are still running. `undefined`: nothing is stored. */
  readonly storing: Set<Promise<void>> | undefined;
  memoryFailed: boolean;
  /** The first handoff call with valid arguments. `to`: the next agent; `undefined` if the handoff was refused. */
  handoff: { readonly to: string | undefined } | undefined;
  /** What the inner runs of agent tools wait for, by call. */
  readonly interrupted: Map<RichToolCall, readonly Interruption[]>;
  /** The error of an inner run that ends this run, too. */
  innerError: JAFError | undefined;
}

/** Answers all calls of a reply that don't wait, in parallel. Handoffs are answered last, and only if no call waits. */
export async function answerCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: ClassifyOptions,
): Promise<AnsweredCalls> {
  // A handoff stores the next agent's name. If a call were still open, a resumed run would look for its tool at the
  // wrong agent.
  const { signal, maxParallelTools } = scope.config;
  const progress: Progress = {
    answered: new Map(),
    storing: scope.journal && new Set(),
    memoryFailed: false,
    handoff: undefined,
    interrupted: new Map(),
    innerError: undefined,
  };
  const goesOn = () =>
    signal?.aborted !== true && !progress.memoryFailed && progress.innerError === undefined;
  const inTurn = openThreads();
  let waiting: readonly Interruption[] = [];
  let asked: AskedCalls | undefined;
  try {
    const classified = await classifyCalls(scope, batch, options);
    const { run, answered } = classified;
    waiting = classified.waiting;
    asked = askedWith(options.waiting, classified.asked);
    const handoffs = run.filter(isHandoff);
    const others = handoffs.length === 0 ? run : without(run, handoffs);
    for (const given of answered) if (goesOn()) await recordGivenAnswer(scope, given, progress);
    const running = forEachLimited(others, maxParallelTools, (runnable) => {
      if (!goesOn()) return undefined;
      const thread = runnable.inner?.call.thread;
      if (thread === undefined) return answerByTool(scope, batch, { runnable, progress });
      return inTurn(thread, async () => {
        if (goesOn()) await answerByTool(scope, batch, { runnable, progress });
        return !progress.interrupted.has(runnable.call);
      });
    });
    await abortable(running, signal);
    for (const runnable of waiting.length + progress.interrupted.size === 0 ? handoffs : [])
      if (goesOn()) await answerByHandoff(scope, batch, { runnable, progress });
  } catch (thrown) {
    // Tools that ignore an abort continue to run. In durability "step" their results are still stored.
    if (signal?.aborted !== true) throw thrown;
  }
  for (const { storing } = progress; storing !== undefined && storing.size > 0; ) await Promise.all(storing);
  const { results, error } = summarize(scope, batch, progress);
  const interruptions = [...waiting, ...[...progress.interrupted.values()].flat()];
  const agentName = progress.handoff?.to ?? batch.agentName;
  return { results, interruptions, asked, agentName, error };
}

function without<T>(calls: readonly T[], left: readonly T[]): readonly T[] {
  const leftOut = new Set(left);
  return calls.filter((call) => !leftOut.has(call));
}

interface Running<Ctx> {
  readonly runnable: RunnableCall<Ctx>;
  readonly progress: Progress;
}

interface Answering {
  readonly call: RichToolCall;
  readonly progress: Progress;
}

async function answerByTool<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { runnable, progress }: Running<Ctx>,
): Promise<void> {
  const { call } = runnable;
  const executed = await executeCall(scope, batch, runnable);
  if (executed === undefined) return;
  if ("status" in executed) {
    if (executed.status === "interrupted") progress.interrupted.set(call, executed.interruptions);
    else progress.innerError ??= executed.error;
    return;
  }
  const { message, failure } = executed;
  await record(scope, { call, progress }, { message, error: errorOf(scope, call, failure) });
}

function errorOf<Ctx>(
  { config }: RunScope<Ctx>,
  call: RichToolCall,
  failure: ToolFailure | undefined,
): JAFError | undefined {
  if (failure === undefined || config.onToolError !== "fail") return undefined;
  const error = { _tag: "ToolCallError", tool: calledTool(call).name, detail: failure.text } as const;
  return withThrown(error, failure.thrown);
}

async function recordGivenAnswer<Ctx>(
  scope: RunScope<Ctx>,
  { call, result, failure }: AnsweredCall,
  progress: Progress,
): Promise<void> {
  const trace = traceToolCall(scope, call);
  trace?.start(decodeCall(call).args);
  const answer = toAnswer(result);
  trace?.end({ ...answer, ...present({ failure }) });
  const message = toolMessage(call, answer.content);
  await record(scope, { call, progress }, { message, error: errorOf(scope, call, failure) });
}

async function answerByHandoff<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { runnable, progress }: Running<Ctx>,
): Promise<void> {
  const { call } = runnable;
  const taken = progress.handoff !== undefined;
  const { content, understood, to, error } = await answerHandoff(scope, batch, { runnable, taken });
  const decided = progress.handoff ?? (understood ? { to } : undefined);
  const answer = { message: toolMessage(call, content), error };
  const agentName = decided?.to ?? batch.agentName;
  await record(scope, { call, progress }, answer, { agentName, callScope: batch.callScope });
  if (!progress.memoryFailed) progress.handoff = decided;
}

/** Stores an answer and adds it to the answered calls, with the error if storing fails. */
async function record<Ctx>(
  { journal }: RunScope<Ctx>,
  { call, progress }: Answering,
  answer: Answer,
  entry?: AppendEntry,
): Promise<void> {
  if (journal === undefined) {
    progress.answered.set(call, answer);
    return;
  }
  const storing = journal.result(answer.message, entry).then((stored) => {
    progress.storing?.delete(storing);
    progress.memoryFailed ||= !stored.success;
    const { message } = answer;
    const failed: Answer | undefined = stored.success
      ? undefined
      : { message, error: { _tag: "MemoryError", error: stored.error } };
    progress.answered.set(call, failed ?? answer);
  });
  progress.storing?.add(storing);
  await storing;
}

function summarize<Ctx>(
  scope: RunScope<Ctx>,
  { calls }: CallBatch<Ctx>,
  { answered, innerError }: Progress,
): Pick<AnsweredCalls, "results" | "error"> {
  const results: Message[] = [];
  let first: JAFError | undefined;
  let ofMemory: JAFError | undefined;
  for (const call of calls) {
    const given = answered.get(call);
    if (given === undefined) continue;
    results.push(given.message);
    first ??= given.error;
    if (given.error?._tag === "MemoryError") ofMemory ??= given.error;
  }
  scope.journal?.results(results);
  return { results, error: abortError(scope.config.signal) ?? ofMemory ?? innerError ?? first };
}

/**
 * Returns a function that lets calls of the same thread run one after the other. `work` resolves with whether the next
 * one may run; once it has resolved with `false`, the thread's other calls don't run.
 */
function openThreads() {
  const ends = new Map<string, Promise<boolean>>();
  return async (thread: string, work: () => Promise<boolean>): Promise<void> => {
    const before = ends.get(thread) ?? Promise.resolve(true);
    const end = before.then((goesOn) => goesOn && work());
    ends.set(thread, end);
    await end;
  };
}

/** Processes all items in order, at most `limit` of them at the same time. `undefined`: no limit. */
function forEachLimited<T>(
  items: readonly T[],
  limit: number | undefined,
  work: (item: T) => Promise<void> | undefined,
): Promise<unknown> {
  if (limit === undefined || !(limit < items.length)) return Promise.all(items.map(work));
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  return Promise.all(Array.from({ length: Math.max(1, Math.floor(limit)) }, worker));
}
