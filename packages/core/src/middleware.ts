import type { Message, RunId, TraceId } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { ModelCompletion } from "./model/completion.ts";
import type { CacheableConfig, ModelConfig } from "./model/model-config.ts";
import type { RunState } from "./state.ts";
import { textOfThrown } from "./thrown.ts";
import type { ToolCallInfo, ToolReturn } from "./tools/tool.ts";

/** A request that middleware makes to the run's model provider, outside of the conversation and without tools. */
export interface CompletionRequest {
  /** The system prompt. */
  readonly instructions: string;
  /** The messages that the model gets, oldest first. */
  readonly messages: readonly Message[];
  /**
   * The model's name, in place of the agent's model settings and `RunConfig.modelOverride`. Default: the model of the
   * agent that the turn begins with, and that agent's settings except for `maxTokens`.
   */
  readonly model?: string | undefined;
  /** Aborts the request. Default: no signal, so a request can continue after the run has ended. */
  readonly signal?: AbortSignal | undefined;
}

/** The turn that a middleware's hooks get: from the user's messages to the final reply. */
export interface MiddlewareTurn<Ctx> {
  /** The state that the run begins with: the sanitized history, including the new messages. */
  readonly state: Readonly<RunState<Ctx>>;
  /**
   * The user messages that the turn answers: the last consecutive user messages without a reply. They are the same
   * messages if the turn is retried or resumed. Can be empty.
   */
  readonly userMessages: readonly Message[];
  /**
   * The position of the first of the `userMessages` in the stored conversation, from 0. Dropped messages are counted,
   * too. Absent: nothing is stored, or `userMessages` is empty.
   */
  readonly position?: number | undefined;
  /**
   * Whether the run continues an earlier turn: it got approvals, tool results, or a history that a client sent back.
   */
  readonly isContinuation: boolean;
  /** The registry key of the agent that the turn begins with. */
  readonly agentName: string;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** `RunConfig.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** The parts of the prompts that the model provider can cache: `RunConfig.cache`, or else the agent's `cacheable`. */
  readonly cache?: CacheableConfig | false | undefined;
  /**
   * When the run began, in milliseconds since 1970. If an earlier run stored the reply: the time of the conversation's
   * last write. (If the store doesn't report that time: when the run began.)
   */
  readonly startedAt: number;
  /**
   * Calls the model once and resolves with the reply's text. It works even after the run has ended. Rejects if the
   * model provider throws, or if the reply has no text or calls a tool.
   */
  readonly complete: (request: CompletionRequest) => Promise<string>;
}

/** Texts that a middleware adds to the prompts of a turn. */
export interface TurnAddition {
  /** A text to append to the agent's instructions, after an empty line, in every model call of the turn. */
  readonly instructions?: string | undefined;
  /**
   * A text to place directly before the user's last message in every model call of the turn. The engine adds it to that
   * message's content as a first text part with `transient: true`. The text isn't stored and isn't part of any state.
   * It should say that it isn't from the user. If the conversation has no user message, the text is appended to the
   * instructions.
   */
  readonly beforeNewestMessage?: string | undefined;
}

/** Where the text of a middleware is placed in a prompt. */
export type AdditionPlacement = "instructions" | "before-newest-message";

/** A text that a middleware adds to a prompt. */
export interface PromptAddition {
  /** The name of the middleware. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  readonly text: string;
}

/**
 * Hooks at the beginning and the end of a run, and around each model call and tool call.
 *
 * - If `onStart` or `onFinish` throws, a `middleware_failed` event is emitted and the run continues without that hook's
 *   result.
 * - If `wrapModelCall` or `wrapToolCall` throws, the wrapped call fails with that error.
 * - An aborted run doesn't wait for hooks.
 *
 * The hooks in `RunConfig.middleware` are called for all agents. The hooks in `Agent.middleware` are called only for
 * that agent: `onStart` and `onFinish` in runs that begin with the agent, `wrapModelCall` and `wrapToolCall` around the
 * agent's own calls.
 */
export interface Middleware<Ctx> {
  /** The middleware's name in events. */
  readonly name: string;
  /**
   * Called once, before the first model call. The `onStart` hooks of all middleware run in parallel. The returned texts are
   * added to the prompts in the order of the middleware.
   */
  readonly onStart?: (
    turn: MiddlewareTurn<Ctx>,
  ) => Promise<TurnAddition | undefined> | TurnAddition | undefined;
  /**
   * Called when the run has completed and its reply is stored. Not called if the run failed or was interrupted. `turn`
   * is the object that `onStart` got. The run's result waits for this hook, so put long work into a durable queue.
   *
   * The hook can be called twice for one turn; `turn.position` identifies the turn. The second call comes, without
   * `onStart`, from a run that finds the reply already stored. The run that stored the reply may have crashed before it
   * called the hook.
   */
  readonly onFinish?: (turn: MiddlewareTurn<Ctx>, reply: Message) => Promise<void> | void;
  /**
   * Wraps each model call of a turn, including its retries and `RunConfig.modelFallback`. Doesn't wrap
   * `MiddlewareTurn.complete` and summaries. The hooks in `RunConfig.middleware` wrap the hooks in
   * `Agent.middleware`.
   *
   * `next(changes)` calls the model with the changed request. It resolves with the model's reply, or rejects with
   * `ModelCallFailure`. The hook returns the reply that the run uses. If the hook doesn't call `next`, the model isn't
   * called. The hook can call `next` again after the previous call of `next` has ended.
   *
   * Text is streamed while the hook runs. If the hook returns another reply than the streamed one, `llm_retract`
   * retracts the text.
   *
   * If the hook throws, the run ends with `ModelCallError`. If the hook rethrows the `ModelCallFailure` of `next`, the
   * run ends with the error in that failure. The hook's own time, without the calls of `next`, has the time limit of
   * one attempt of a model call (`RunConfig.timeouts.modelMs`).
   */
  readonly wrapModelCall?: WrapModelCall<Ctx>;
  /**
   * Wraps each execution of a tool, after its arguments are validated and approved. Doesn't wrap handoffs and calls
   * that the client runs. The hooks in `RunConfig.middleware` wrap the hooks in `Agent.middleware`.
   *
   * `next(changes)` runs the tool. It resolves or rejects as the tool does. The hook returns the tool's result. If the
   * hook throws, the error is handled like an error of the tool. The tool's time limit applies to hooks and tool
   * together. After the time limit or an abort, `next` doesn't start the tool.
   */
  readonly wrapToolCall?: WrapToolCall<Ctx>;
  /**
   * Begins a run, also an inner run of an agent tool, after its event `run_start`. The hook must call `next` before it
   * returns. All that the run calls, until its event `run_end`, has the async context in which the hook called `next`,
   * e.g. the context of a trace. Only called on middleware in `RunConfig.middleware`.
   *
   * The hook can't change the run. If it throws, the error becomes a process warning. If it doesn't call `next`, the run
   * begins without it.
   */
  readonly wrapRun?: (run: WrappedRun, next: () => void) => void;
}

/** The run that a `wrapRun` hook gets. */
export interface WrappedRun {
  readonly runId: RunId;
  readonly traceId: TraceId;
  /** The registry key of the agent that the run begins with. */
  readonly agentName: string;
  /** `RunConfig.conversationId`. Absent if the run has none. */
  readonly conversationId?: string;
}

/** The fields of a model call that a middleware can change. */
export interface ModelCallChanges {
  /** The system prompt. */
  readonly instructions?: string;
  /** The messages that the model gets in this call. The conversation doesn't change. */
  readonly messages?: readonly Message[];
  /** The names of the tools that the model can call, out of the agent's tools. */
  readonly tools?: readonly string[];
  /** Model settings that replace all model settings of the agent. */
  readonly modelConfig?: ModelConfig;
  /** The model's name. It takes precedence over `RunConfig.modelOverride`. */
  readonly model?: string;
}

/** The model call that a `wrapModelCall` hook gets. */
export interface ModelCallRequest<Ctx> {
  /** The run's state, with all messages of the conversation that the run has loaded or added. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  /** The agent's system prompt, including the texts that middleware added. */
  readonly instructions: string;
  /** The messages that the model gets. */
  readonly messages: readonly Message[];
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  /** The agent's model settings; `{}` if it has none. */
  readonly modelConfig: ModelConfig;
  /** The model's name, from `RunConfig.modelOverride` or the agent. Absent: the model provider chooses the model. */
  readonly model?: string;
  /** Aborted when the run is aborted, when the hooks' time limit is reached, and when the model call has ended. */
  readonly signal: AbortSignal;
}

/**
 * Calls the next middleware, or the model if no middleware is left. Rejects with `ModelCallFailure` if the model call fails.
 */
export type NextModelCall = (changes?: ModelCallChanges) => Promise<ModelCompletion>;

/** A hook around each model call of a turn; see `Middleware.wrapModelCall`. */
export type WrapModelCall<Ctx> = (
  request: ModelCallRequest<Ctx>,
  next: NextModelCall,
) => Promise<ModelCompletion> | ModelCompletion;

/** What a middleware can change in a tool call. */
export interface ToolCallChanges {
  /**
   * The arguments that the tool gets in place of the model's arguments. The engine doesn't parse them. An approval
   * doesn't cover them, because the user has seen only the model's arguments.
   */
  readonly args: unknown;
}

/** The tool call that a `wrapToolCall` hook gets. */
export interface ToolCallRequest<Ctx> extends ToolCallInfo {
  /** The name of the tool. */
  readonly toolName: string;
  /** The parsed arguments that the tool gets unless a hook changes them. */
  readonly args: unknown;
  /** The run's context: the application's data for tools. */
  readonly context: Readonly<Ctx>;
}

/** Calls the next middleware, or the tool if no middleware is left. */
export type NextToolCall = (changes?: ToolCallChanges) => Promise<ToolReturn>;

/** A hook around each execution of a tool; see `Middleware.wrapToolCall`. */
export type WrapToolCall<Ctx> = (
  request: ToolCallRequest<Ctx>,
  next: NextToolCall,
) => Promise<ToolReturn> | ToolReturn;

const isFunction = (value: unknown): boolean => typeof value === "function";

/** Accepts functions, and returns them neither wrapped nor bound. */
export const functionSchema = z.custom<unknown>(isFunction, { error: "expected a function" });

const middlewareSchema = z.array(
  z.looseObject({
    name: z.string().min(1),
    onStart: functionSchema.optional(),
    onFinish: functionSchema.optional(),
    wrapModelCall: functionSchema.optional(),
    wrapToolCall: functionSchema.optional(),
    wrapRun: functionSchema.optional(),
  }),
);

/** Returns the list. Throws a `TypeError` if it isn't a list of middleware. `what`: the list's name in the error. */
export function checkMiddleware<Ctx>(
  list: readonly Middleware<Ctx>[],
  what: string,
): readonly Middleware<Ctx>[] {
  parseOptions(middlewareSchema, list, what);
  return list;
}

/** Returns the fault of a list of middleware; `undefined` if it is valid or absent. */
export function middlewareFault<Ctx>(
  list: readonly Middleware<Ctx>[] | undefined,
  what: string,
): string | undefined {
  if (list === undefined) return undefined;
  try {
    checkMiddleware(list, what);
    return undefined;
  } catch (thrown) {
    return textOfThrown(thrown);
  }
}

type WrapHook = "wrapModelCall" | "wrapToolCall";

/** A run's configuration, or an agent: both can have middleware. */
interface Wrapped<Ctx> {
  readonly middleware?: readonly Middleware<Ctx>[];
}

/**
 * Returns the middleware that has the hook: first the run's, then the agent's. Returns `undefined` if there is none.
 */
export function middlewareWith<Ctx, Name extends WrapHook>(
  { middleware: ofRun }: Wrapped<Ctx>,
  { middleware: ofAgent }: Wrapped<Ctx>,
  hook: Name,
): readonly Middleware<Ctx>[] | undefined {
  if (ofRun === undefined && ofAgent === undefined) return undefined;
  const all = [...(ofRun ?? []), ...(ofAgent ?? [])].filter((each) => each[hook] !== undefined);
  return all.length === 0 ? undefined : all;
}
