import type { Message } from "@jaf/memory";
import { checkRelease, present } from "@jaf/memory/internal";
import { frozenCopy } from "../immutable/copy.ts";
import { inboxEngineOf } from "../inbox-engine.ts";
import { throughRunHooks } from "../middleware/run-hooks.ts";
import { openRunMiddleware } from "../middleware/run-middleware.ts";
import type { RunConfig } from "../run-config.ts";
import type { RunProgress, RunScope, ScopeOptions } from "../run-scope.ts";
import { frozenState, ownState, type RunResult, type RunSpent, type RunState } from "../state.ts";
import { internalError } from "../thrown.ts";
import { begin } from "./begin.ts";
import { outcomeElsewhere } from "./repeated-run.ts";
import { openScope } from "./scope.ts";
import { takeStep } from "./step.ts";

/**
 * Runs agents from a state until an agent gives its final reply, or the run is interrupted or fails. Failures are in
 * the outcome and aren't thrown.
 *
 * With `memory.autoStore`, the run first loads the stored conversation and adds `initialState.messages`:
 *
 * - User messages are appended. If the stored conversation ends with the same messages and no reply, they count as a
 *   retry and aren't appended again.
 * - A whole history (e.g. the last `finalState.messages` and newer messages) must begin with the stored conversation.
 *   The messages after it are appended. If the history begins differently, the run ends with a `MemoryConflictError` of
 *   reason `"version"`, and nothing is stored or called. In this case, load the conversation again.
 * - Tool calls are appended only together with their results. If no message is left to append, the run ends with a
 *   `MemoryValidationError`.
 *
 * A repeated run id with the same messages and decisions means the same run. If that run has ended and the store still
 * has its receipt, its outcome is returned again, and nothing is called or stored. See `docs/turns.md`.
 *
 * Without new messages, the run resumes the stored conversation. Finished tools don't run again. If the conversation
 * ends with a reply, what waits in `memory.inbox` begins a turn; if nothing waits, that reply is the output. If calls need an approval or the client, the run ends as `interrupted`.
 * To continue, call `run` again with `resume`.
 *
 * One run at a time holds the lease of a stored conversation; see `memory.concurrency`.
 *
 * The type `Out` isn't checked: the agents of a registry can differ in their output, so you state the expected type.
 *
 * @example
 * ```ts
 * import { type Agent, createRunState, JAFErrorHandler, type ModelProvider, run } from "@jaf/core";
 *
 * declare const modelProvider: ModelProvider<object>;
 *
 * const clerk: Agent<object, string> = { name: "clerk", instructions: "You sell fruit." };
 * const messages = [{ role: "user", content: "Do you have apples?" }] as const;
 * const { outcome } = await run<object, string>(createRunState({ agentName: "clerk", context: {}, messages }), {
 *   agentRegistry: new Map([["clerk", clerk]]),
 *   modelProvider,
 * });
 * console.log(outcome.status === "completed" ? outcome.output : JAFErrorHandler.format(outcome.error));
 * ```
 */
export async function run<Ctx, Out = unknown>(
  initialState: RunState<NoInfer<Ctx>>,
  config: RunConfig<Ctx>,
): Promise<RunResult<Out>> {
  return (await execute<Ctx, Out>(initialState, config, { streaming: false })).result;
}

/** How an execution of a run ended. */
export interface Ended<Out> {
  readonly result: RunResult<Out>;
  /** Returns whether this message object was loaded from the store. */
  readonly isStored: (message: Message) => boolean;
  /** The error that `RunConfig.validate` threw. `undefined`: it threw none. */
  readonly refusal: RunScope<unknown>["refusal"];
}

/** Executes a run, for `run` and `runStream`. */
export async function execute<Ctx, Out>(
  initialState: RunState<Ctx>,
  config: RunConfig<Ctx>,
  options: ScopeOptions,
): Promise<Ended<Out>> {
  checkRelease(globalThis.JAF_RELEASE);
  const initial = ownState(initialState);
  const scope = openScope(initial, config, options, execute);
  const { runId, traceId } = initial;
  scope.emit?.({ type: "run_start", data: { runId, traceId } });
  try {
    return await throughRunHooks(config, initial, () => runToEnd<Ctx, Out>(scope, initial));
  } finally {
    scope.close();
  }
}

async function runToEnd<Ctx, Out>(scope: RunScope<Ctx>, initial: RunState<Ctx>): Promise<Ended<Out>> {
  const { state, outcome } = await runSteps(scope, initial);
  if (outcome.status === "error") await scope.journal?.releaseLease();
  const historyFrom = scope.journal?.historyFrom();
  // The messages of a failed run aren't a valid history.
  const historyToken = outcome.status === "error" ? undefined : scope.journal?.historyToken();
  const spent = spentBy(scope);
  const result = {
    finalState: frozenState(state),
    ...present({ historyFrom, historyToken, spent }),
    outcome: Object.freeze(outcome),
  } as RunResult<Out>;
  scope.emit?.({ type: "run_end", data: { outcome: frozenCopy(result.outcome) } });
  return { result, isStored: scope.journal?.isStored ?? (() => false), refusal: scope.refusal };
}

function spentBy<Ctx>({ spending, journal }: RunScope<Ctx>): RunSpent | undefined {
  const run = spending.ofRun();
  if (run === undefined) return undefined;
  const conversation = journal && spending.ofConversation();
  return frozenCopy(conversation === undefined ? { run } : { run, conversation });
}

async function runSteps<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
): Promise<Required<Pick<RunProgress<Ctx>, "state" | "outcome">>> {
  let state = initial;
  try {
    if (!Array.isArray(initial.messages)) throw new TypeError("RunState.messages: expected a list");
    let progress = await begin(scope, state);
    if (progress.outcome?.status !== "error") scope.onAccepted?.();
    const inbox = scope.journal && inboxEngineOf(scope.config.memory?.inbox);
    if (inbox !== undefined) progress = await inbox.continueWith(scope, progress);
    const middleware = openRunMiddleware(scope, progress);
    if (middleware !== undefined) progress = await middleware.start();
    for (;;) {
      if (progress.endedElsewhere === true) progress = (await outcomeElsewhere(scope, initial)) ?? progress;
      const { outcome } = progress;
      state = progress.state;
      if (outcome === undefined) {
        progress = await takeStep(scope, state, middleware?.additions());
        if (inbox !== undefined) progress = await inbox.continueWith(scope, progress);
        continue;
      }
      if (outcome.status === "completed") await middleware?.finish(state);
      return { state, outcome };
    }
  } catch (thrown) {
    return {
      state,
      outcome: { status: "error", error: internalError("code that must not throw threw an error", thrown) },
    };
  }
}
