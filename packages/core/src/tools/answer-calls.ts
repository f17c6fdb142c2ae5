import type { Message, ToolCall } from "@jaf/memory";
import { abortable, abortError } from "../engine/abort.ts";
import type { RunScope } from "../engine/scope.ts";
import type { JAFError } from "../errors.ts";
import { answerHandoff, isHandoffCall } from "../handoff/handoff.ts";
import type { AppendEntry } from "../memory/appender.ts";
import { forEachLimited } from "./concurrency.ts";
import { type CallBatch, executeCall, toolMessage } from "./execute-call.ts";

export interface AnsweredCalls {
  /** In call order. Calls that didn't finish are left out, which is only so where there is an `error`. */
  readonly results: readonly Message[];
  /** The agent that goes on; the one that called, unless it handed off. */
  readonly agentName: string;
  readonly error?: JAFError;
}

interface Answer {
  readonly message: Message;
  readonly error?: JAFError;
}

/** How far a batch has come. */
interface Progress {
  readonly answered: Map<ToolCall, Answer>;
  /** Answers on their way into the store. */
  readonly storing: Set<Promise<void>>;
  memoryFailed: boolean;
  /** What the first handoff that was understood decided: where to, `undefined` if it was refused. */
  handoff: { readonly to: string | undefined } | undefined;
}

/**
 * Runs all calls of a reply, in parallel, and answers each. Handoffs are answered last: the store must not name the
 * next agent while a call of this one is open, or a resumed run would look for its tools at the wrong agent.
 */
export async function answerCalls<Ctx>(scope: RunScope<Ctx>, batch: CallBatch<Ctx>): Promise<AnsweredCalls> {
  const { signal, maxParallelTools } = scope.config;
  const progress: Progress = {
    answered: new Map(),
    storing: new Set(),
    memoryFailed: false,
    handoff: undefined,
  };
  const goesOn = () => signal?.aborted !== true && !progress.memoryFailed;
  const handoffs = batch.calls.filter((call) => isHandoffCall(batch, call));
  const others = handoffs.length === 0 ? batch.calls : without(batch.calls, handoffs);
  try {
    const running = forEachLimited(others, maxParallelTools, async (call) => {
      if (goesOn()) await answerByTool(scope, batch, { call, progress });
    });
    await abortable(running, signal);
    for (const call of handoffs) if (goesOn()) await answerByHandoff(scope, batch, { call, progress });
  } catch (thrown) {
    // Tools that don't stop at an abort are left alone; in "step" durability their results are still stored.
    if (signal?.aborted !== true) throw thrown;
  }
  while (progress.storing.size > 0) await Promise.all(progress.storing);
  return summarize(scope, batch, progress);
}

function without(calls: readonly ToolCall[], left: readonly ToolCall[]): readonly ToolCall[] {
  const leftOut = new Set(left);
  return calls.filter((call) => !leftOut.has(call));
}

interface Answering {
  readonly call: ToolCall;
  readonly progress: Progress;
}

async function answerByTool<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { call, progress }: Answering,
): Promise<void> {
  const executed = await executeCall(scope, batch, call);
  if (executed === undefined) return;
  const { message, thrown } = executed;
  const isFailure = thrown !== undefined && scope.config.onToolError === "fail";
  const error: JAFError | undefined = isFailure
    ? { _tag: "ToolCallError", tool: call.function.name, detail: thrown }
    : undefined;
  await record(scope, { call, progress }, { message, ...(error === undefined ? {} : { error }) });
}

async function answerByHandoff<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  { call, progress }: Answering,
): Promise<void> {
  const taken = progress.handoff !== undefined;
  const { content, understood, to, error } = await answerHandoff(scope, batch, { call, taken });
  const decided = progress.handoff ?? (understood ? { to } : undefined);
  const answer = { message: toolMessage(call, content), ...(error === undefined ? {} : { error }) };
  const agentName = decided?.to ?? batch.agentName;
  await record(scope, { call, progress }, answer, { agentName, callScope: batch.callScope });
  if (!progress.memoryFailed) progress.handoff = decided;
}

/** Stores an answer; it counts once it is stored. */
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
  const storing = journal.answer(answer.message, entry).then((stored) => {
    progress.storing.delete(storing);
    progress.memoryFailed ||= !stored.success;
    const { message } = answer;
    const failed: Answer | undefined = stored.success
      ? undefined
      : { message, error: { _tag: "MemoryError", error: stored.error } };
    progress.answered.set(call, failed ?? answer);
  });
  progress.storing.add(storing);
  await storing;
}

function summarize<Ctx>(
  scope: RunScope<Ctx>,
  { calls, agentName }: CallBatch<Ctx>,
  { answered, handoff }: Progress,
): AnsweredCalls {
  const inOrder = calls.map((call) => answered.get(call)).filter((given) => given !== undefined);
  const results = inOrder.map(({ message }) => message);
  scope.journal?.answers(results);
  const errors = inOrder.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const error =
    abortError(scope.config.signal) ?? errors.find(({ _tag }) => _tag === "MemoryError") ?? errors[0];
  return { results, agentName: handoff?.to ?? agentName, ...(error === undefined ? {} : { error }) };
}
