import type { Message } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { ModelCompletion } from "./model/completion.ts";
import type { CacheableConfig, ModelConfig } from "./model/model-config.ts";
import type { RunState } from "./state.ts";
import { textOfThrown } from "./thrown.ts";
import type { ToolCallInfo, ToolReturn } from "./tools/tool.ts";

/** A request to the run's model provider outside of the conversation, without tools. It isn't stored. */
export interface CompletionRequest {
  /** The system prompt. */
  readonly instructions: string;
  /** The messages that the model gets, oldest first. */
  readonly messages: readonly Message[];
  /**
   * The model's name. It takes precedence over `RunConfig.modelOverride`, and no other settings are used then. Default: the
   * model of the agent that the turn begins with, and its settings except for `maxTokens`.
   */
  readonly model?: string | undefined;
  /** Aborts the request. Default: none, so a request can outlive the run. */
  readonly signal?: AbortSignal | undefined;
}

/** The turn that a middleware's hooks get, from the user's messages to the final reply. */
export interface MiddlewareTurn<Ctx> {
  /** The state that the run begins with: the sanitized history, with the new messages. */
  readonly state: Readonly<RunState<Ctx>>;
  /**
   * The user messages that the turn answers: the last consecutive ones without a reply, new or already stored. They are the
   * same if the turn is retried or resumed after a crash. Can be empty.
   */
  readonly userMessages: readonly Message[];
  /**
   * The position of the first of the `userMessages` in the stored conversation, from 0. Messages that the store has dropped
   * count. Absent if nothing is stored or `userMessages` is empty.
   */
  readonly position?: number | undefined;
  /** Whether the run continues an earlier turn with approvals, tool results or a history that a client sent back. */
  readonly isContinuation: boolean;
  /** The registry key of the agent that the turn begins with. */
  readonly agentName: string;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** `RunConfig.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** The parts of the prompts that can be cached: `RunConfig.cache`, or else the agent's `cacheable`. */
  readonly cache?: CacheableConfig | false | undefined;
  /**
   * When the run began, in milliseconds since 1970. If an earlier run stored the reply, the time of the conversation's last
   * write.
   */
  readonly startedAt: number;
  /**
   * Calls the model once, even after the run has ended. Resolves with the reply's text. Rejects if the model provider throws,
   * and if the reply has no text or calls a tool.
   */
  readonly complete: (request: CompletionRequest) => Promise<string>;
}

/** Texts that a middleware adds to the prompts of a turn. */
export interface TurnAddition {
  /** Appended to the agent's instructions, after an empty line, in every model call of the turn. */
  readonly instructions?: string | undefined;
  /**
   * Placed directly before the user's last message in every model call of the turn: as a text part with `transient: true` at
   * the beginning of that message's content. It is sent to the model, but isn't stored or part of any state. The text should
   * say that it isn't from the user. Without a user message, it is appended to the instructions.
   */
  readonly beforeNewestMessage?: string | undefined;
}

/** Where a middleware's addition is placed in a prompt. */
export type AdditionPlacement = "instructions" | "before-newest-message";

/** A text that a middleware adds, with the middleware's name and the text's place in the prompt. */
export interface PromptAddition {
  /** The name of the middleware. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  readonly text: string;
}

/**
 * Hooks at the beginning and the end of a run, and around each model call and tool call.
 *
 * If `onStart` or `onFinish` throws, a `middleware_failed` event is emitted and the run continues without it. If a `wrap…` hook
 * throws, the call fails with that error. An aborted run doesn't wait for hooks.
 *
 * The hooks of a run's middleware are called for all agents. An agent's `onStart` and `onFinish` are called in runs that begin
 * with the agent; its `wrap…` hooks wrap the agent's own calls, also after a handoff to it.
 */
export interface Middleware<Ctx> {
  /** The name in events. */
  readonly name: string;
  /**
   * Called once, before the first model call. The hooks of all middleware run in parallel. Additions keep the order of the
   * middleware.
   */
  readonly onStart?: (
    turn: MiddlewareTurn<Ctx>,
  ) => Promise<TurnAddition | undefined> | TurnAddition | undefined;
  /**
   * Called when the run has completed and its reply is stored, but not if the run failed or was interrupted. `turn` is the
   * object that `onStart` got. The run's result waits for this hook; other runs of the conversation don't. Put long work into a
   * durable queue.
   *
   * Also called, without `onStart`, if the run finds a stored conversation that already ends with a reply: the run that stored
   * the reply may have crashed before it called the hook. So the hook can be called again for the same turn; `position`
   * identifies the turn.
   */
  readonly onFinish?: (turn: MiddlewareTurn<Ctx>, reply: Message) => Promise<void> | void;
  /**
   * Wraps each model call of a turn, including its retries and `RunConfig.modelFallback`, but not `MiddlewareTurn.complete` and
   * summaries. The run's hooks are the outermost, then the agent's, in the order of the lists.
   *
   * `next(changes)` calls the model with the changed request. It resolves with the provider's reply and rejects with
   * `ModelCallFailure`. The hook returns the reply that the run uses. If it doesn't call `next`, the model isn't called. It can
   * call `next` again after the previous call has ended. Text is streamed in the meantime, and retracted (`llm_retract`) if the
   * hook returns a different reply.
   *
   * If the hook throws, the run ends with `ModelCallError`. If it throws the `ModelCallFailure` of `next`, the run ends with
   * that failure's error. The hook's time, without the calls of `next`, is limited like one attempt of a model call
   * (`RunConfig.timeouts.modelMs`).
   */
  readonly wrapModelCall?: WrapModelCall<Ctx>;
  /**
   * Wraps each execution of a tool after its arguments are validated and approved. Doesn't wrap handoffs and calls that the
   * client runs. The order is the same as for `wrapModelCall`.
   *
   * `next(changes)` runs the tool. It resolves or rejects as the tool does. The hook returns the tool's result; if the hook
   * throws, this is handled like an error of the tool. The tool's time limit applies to hooks and tool together. A tool isn't
   * started after the limit or after an abort.
   */
  readonly wrapToolCall?: WrapToolCall<Ctx>;
}

/** The fields of a request that a middleware can change. */
export interface ModelCallChanges {
  /** The system prompt. */
  readonly instructions?: string;
  /** The messages that the model gets. The conversation itself isn't changed. */
  readonly messages?: readonly Message[];
  /** The names of the agent's tools that the model can call. */
  readonly tools?: readonly string[];
  /** Replaces all of the agent's settings. */
  readonly modelConfig?: ModelConfig;
  /** The model's name. Takes precedence over `RunConfig.modelOverride`. */
  readonly model?: string;
}

/** The model call that a `wrapModelCall` hook gets. */
export interface ModelCallRequest<Ctx> {
  /** The run's state, with all messages of the conversation that the run has loaded or added. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  /** The agent's system prompt, with the additions of middleware. */
  readonly instructions: string;
  /** The messages that the model gets. */
  readonly messages: readonly Message[];
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  /** The agent's settings; `{}` if it has none. */
  readonly modelConfig: ModelConfig;
  /** The model's name, from `RunConfig.modelOverride` or the agent. Absent: the provider chooses. */
  readonly model?: string;
  /** Aborted with the run, when the hooks' time limit is reached, and at the end of the call. */
  readonly signal: AbortSignal;
}

/** Calls the next middleware, or the model. Rejects with `ModelCallFailure` if the model call fails. */
export type NextModelCall = (changes?: ModelCallChanges) => Promise<ModelCompletion>;

/** A hook around each model call of a turn; see `Middleware.wrapModelCall`. */
export type WrapModelCall<Ctx> = (
  request: ModelCallRequest<Ctx>,
  next: NextModelCall,
) => Promise<ModelCompletion> | ModelCompletion;

/** The fields of a tool call that a middleware can change. */
export interface ToolCallChanges {
  /** Parsed arguments. They aren't parsed again, and they weren't shown for approval. */
  readonly args: unknown;
}

/** The tool call that a `wrapToolCall` hook gets. */
export interface ToolCallRequest<Ctx> extends ToolCallInfo {
  /** The name of the tool. */
  readonly toolName: string;
  /** The parsed arguments that the tool would get. */
  readonly args: unknown;
  /** The run's context. */
  readonly context: Readonly<Ctx>;
}

/** Calls the next middleware, or the tool. */
export type NextToolCall = (changes?: ToolCallChanges) => Promise<ToolReturn>;

/** A hook around each execution of a tool; see `Middleware.wrapToolCall`. */
export type WrapToolCall<Ctx> = (
  request: ToolCallRequest<Ctx>,
  next: NextToolCall,
) => Promise<ToolReturn> | ToolReturn;

const isFunction = (value: unknown): boolean => typeof value === "function";

/** Accepts a function and returns it unchanged: neither wrapped nor bound. */
export const functionSchema = z.custom<unknown>(isFunction, { error: "expected a function" });

const middlewareSchema = z.array(
  z.looseObject({
    name: z.string().min(1),
    onStart: functionSchema.optional(),
    onFinish: functionSchema.optional(),
    wrapModelCall: functionSchema.optional(),
    wrapToolCall: functionSchema.optional(),
  }),
);

/** Returns the list. Throws a `TypeError` that begins with `what` if it isn't a list of middleware. */
export function checkMiddleware<Ctx>(
  list: readonly Middleware<Ctx>[],
  what: string,
): readonly Middleware<Ctx>[] {
  parseOptions(middlewareSchema, list, what);
  return list;
}

/** Returns what is wrong with a list of middleware; `undefined` if there is none or it is valid. */
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

/** A run's configuration, or an agent. */
interface Wrapped<Ctx> {
  readonly middleware?: readonly Middleware<Ctx>[];
}

/** Returns the run's and then the agent's middleware that have the hook; `undefined` if none has it. */
export function middlewareWith<Ctx, Name extends WrapHook>(
  { middleware: ofRun }: Wrapped<Ctx>,
  { middleware: ofAgent }: Wrapped<Ctx>,
  hook: Name,
): readonly Middleware<Ctx>[] | undefined {
  if (ofRun === undefined && ofAgent === undefined) return undefined;
  const all = [...(ofRun ?? []), ...(ofAgent ?? [])].filter((each) => each[hook] !== undefined);
  return all.length === 0 ? undefined : all;
}
