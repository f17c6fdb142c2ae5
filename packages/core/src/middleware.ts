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
  readonly instructions: string;
  readonly messages: readonly Message[];
  /**
   * The model's name, which takes precedence over `RunConfig.modelOverride`; then no other settings are used. Default: the model of
   * the agent that the turn begins with, with its settings except for `maxTokens`.
   */
  readonly model?: string | undefined;
  /** Default: none, so that a request may outlive the run. */
  readonly signal?: AbortSignal | undefined;
}

/** A run's turn as a middleware sees it, from the user's messages to the final reply. */
export interface MiddlewareTurn<Ctx> {
  /** The state that the run begins with: the sanitized history, with the new messages. */
  readonly state: Readonly<RunState<Ctx>>;
  /**
   * The user messages that the turn is to answer: the last consecutive ones without a reply, whether they are new or were stored
   * before. So a turn that is tried again, or resumed after a crash, has the same. May be empty.
   */
  readonly userMessages: readonly Message[];
  /**
   * The position of the first message of `userMessages` in the stored conversation, from 0. Messages that the store has dropped count.
   * Absent where nothing is stored, and if `userMessages` is empty.
   */
  readonly position?: number | undefined;
  /** Whether the run continues an earlier turn, with approvals, tool results or a history that a client sent back. */
  readonly isContinuation: boolean;
  /** The key in the registry of the agent that the turn begins with. */
  readonly agentName: string;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** `RunConfig.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** Which parts of the prompts may be cached: `RunConfig.cache`, else the agent's `cacheable`. */
  readonly cache?: CacheableConfig | false | undefined;
  /** When the run began, in milliseconds since 1970. If an earlier run stored the reply, when the store last wrote the conversation. */
  readonly startedAt: number;
  /**
   * Calls the model once; also after the run is over. Resolves with the reply's text. Rejects with what the model provider
   * throws, and if the reply has no text or calls a tool.
   */
  readonly complete: (request: CompletionRequest) => Promise<string>;
}

/** What a middleware adds to a turn. */
export interface TurnAddition {
  /** Is appended to the agent's instructions, after an empty line, in every model call of the turn. */
  readonly instructions?: string | undefined;
  /**
   * Is placed directly before the user's last message, in every model call of the turn: as a text part with `transient: true` at
   * the beginning of that message's content. It is only sent to the model, neither stored nor part of any state. The text should
   * say that it isn't the user's. Without a user message, it is appended to the instructions.
   */
  readonly beforeNewestMessage?: string | undefined;
}

/** Where a middleware's addition is placed in a prompt. */
export type AdditionPlacement = "instructions" | "before-newest-message";

/** What a middleware adds, with its name and the place of the text in the prompt. */
export interface PromptAddition {
  /** The name of the middleware. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  readonly text: string;
}

/**
 * Hooks at the beginning and the end of a run, and around each model call and tool call.
 *
 * If `onStart` or `onFinish` throws, there is a `middleware_failed` event, and the run goes on without it. If a `wrap…` hook
 * throws, the call fails with that error. An aborted run doesn't wait for any hook.
 *
 * The hooks of a run's middleware are called for all agents. An agent's `onStart` and `onFinish` are called in runs that begin
 * with the agent; its `wrap…` hooks wrap the agent's own calls, also after a handoff to it.
 */
export interface Middleware<Ctx> {
  /** The name in events. */
  readonly name: string;
  /** Called once, before the first model call. The hooks of all middleware run in parallel; the additions keep the order of the middleware. */
  readonly onStart?: (
    turn: MiddlewareTurn<Ctx>,
  ) => Promise<TurnAddition | undefined> | TurnAddition | undefined;
  /**
   * Called once the run has completed and its reply is stored; never for a run that failed or was interrupted. `turn` is the object
   * that `onStart` got. The run's result waits for it; other runs of the conversation don't. Put long work into a durable queue.
   *
   * A run that finds a stored conversation with nothing to answer calls it, too, without `onStart`: the run that stored the reply
   * may have died before it called the hook. So it may be called again for the same turn, which `position` identifies.
   */
  readonly onFinish?: (turn: MiddlewareTurn<Ctx>, reply: Message) => Promise<void> | void;
  /**
   * Wraps each model call of a turn, including its retries and `RunConfig.modelFallback`, but not `MiddlewareTurn.complete` and
   * summaries. The run's hooks are the outermost, then the agent's, in the order of the lists.
   *
   * `next(changes)` calls the model with the changed request. It resolves with the reply as the provider returned it, and rejects
   * with `ModelCallFailure`. What the hook returns is the reply. A hook that doesn't call `next` answers by itself, without the
   * model. It may call `next` again once the previous call has ended. Text is streamed meanwhile, and retracted (`llm_retract`) if
   * the hook returns a different reply.
   *
   * If it throws, the run ends with `ModelCallError`; if it throws the `ModelCallFailure` of `next`, with that failure's error. The
   * time in which no `next` is under way is limited like one attempt of a model call (`RunConfig.timeouts.modelMs`).
   */
  readonly wrapModelCall?: WrapModelCall<Ctx>;
  /**
   * Wraps each execution of a tool, once its arguments are valid and approved; not handoffs and calls that the client runs. The
   * order is that of `wrapModelCall`.
   *
   * `next(changes)` runs the tool. It resolves with what the tool returns, and rejects with what it throws. What the hook returns is
   * the tool's result, and what it throws is handled as if the tool had thrown it. The tool's time limit applies to hooks and tool
   * together; a tool isn't started after the limit or after an abort.
   */
  readonly wrapToolCall?: WrapToolCall<Ctx>;
}

/** The fields of a request that a middleware may change. */
export interface ModelCallChanges {
  readonly instructions?: string;
  /** The messages that the model gets. The conversation itself isn't changed. */
  readonly messages?: readonly Message[];
  /** The names of the agent's tools that the model may call. */
  readonly tools?: readonly string[];
  /** Replaces all of the agent's settings. */
  readonly modelConfig?: ModelConfig;
  /** The model's name. Takes precedence over `RunConfig.modelOverride`. */
  readonly model?: string;
}

/** A model call as a middleware sees it. */
export interface ModelCallRequest<Ctx> {
  /** The run's state, with all messages that the run has of the conversation. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  readonly instructions: string;
  /** The messages that the model gets. */
  readonly messages: readonly Message[];
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  readonly modelConfig: ModelConfig;
  /** The model's name, of `RunConfig.modelOverride` or the agent. Absent: the provider chooses. */
  readonly model?: string;
  /** Aborted with the run, when the hooks' time limit is reached, and at the end of the call. */
  readonly signal: AbortSignal;
}

/** Calls the next middleware, or the model. */
export type NextModelCall = (changes?: ModelCallChanges) => Promise<ModelCompletion>;

/** See `Middleware.wrapModelCall`. */
export type WrapModelCall<Ctx> = (
  request: ModelCallRequest<Ctx>,
  next: NextModelCall,
) => Promise<ModelCompletion> | ModelCompletion;

/** The fields of a tool call that a middleware may change. */
export interface ToolCallChanges {
  /** Parsed arguments. They aren't parsed again, and whoever approved the call hasn't seen them. */
  readonly args: unknown;
}

/** A tool call as a middleware sees it. */
export interface ToolCallRequest<Ctx> extends ToolCallInfo {
  readonly toolName: string;
  /** The parsed arguments that the tool would get. */
  readonly args: unknown;
  readonly context: Readonly<Ctx>;
}

/** Calls the next middleware, or the tool. */
export type NextToolCall = (changes?: ToolCallChanges) => Promise<ToolReturn>;

/** See `Middleware.wrapToolCall`. */
export type WrapToolCall<Ctx> = (
  request: ToolCallRequest<Ctx>,
  next: NextToolCall,
) => Promise<ToolReturn> | ToolReturn;

const isFunction = (value: unknown): boolean => typeof value === "function";

/** A function, as it is: neither wrapped nor bound. */
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

/** The list as it is. Throws a `TypeError` that begins with `what` for what is no list of middleware. */
export function checkMiddleware<Ctx>(
  list: readonly Middleware<Ctx>[],
  what: string,
): readonly Middleware<Ctx>[] {
  parseOptions(middlewareSchema, list, what);
  return list;
}

/** What is wrong with a list of middleware, where there is one. */
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

/** Those of the run's and then the agent's middleware that have the hook; `undefined` where none has. */
export function middlewareWith<Ctx, Name extends WrapHook>(
  { middleware: ofRun }: Wrapped<Ctx>,
  { middleware: ofAgent }: Wrapped<Ctx>,
  hook: Name,
): readonly Middleware<Ctx>[] | undefined {
  if (ofRun === undefined && ofAgent === undefined) return undefined;
  const all = [...(ofRun ?? []), ...(ofAgent ?? [])].filter((each) => each[hook] !== undefined);
  return all.length === 0 ? undefined : all;
}
