import type { Message } from "@jaf/memory";
import type { CacheableConfig } from "../model/cache.ts";
import type { WrapModelCall } from "../model/model-call-request.ts";
import type { RunState } from "../state.ts";
import type { WrapToolCall } from "../tools/tool-call-request.ts";

/** A question to the run's own model provider, beside the conversation: no tools, and nothing of it is stored. */
export interface CompletionRequest {
  readonly instructions: string;
  readonly messages: readonly Message[];
  /**
   * The model's name, which outranks `RunConfig.modelOverride`; nothing else is set then. Default: the model of the agent
   * that the turn begins with, in its settings but for the length of a reply.
   */
  readonly model?: string | undefined;
  /** Default: none, so that a question may outlive the run. */
  readonly signal?: AbortSignal | undefined;
}

/** What a middleware is told of a turn: one run, from what the user said to the reply. */
export interface MiddlewareTurn<Ctx> {
  /** What the run begins with: the whole history and what is new, as a model can be given it. */
  readonly state: Readonly<RunState<Ctx>>;
  /**
   * The user messages that the turn is to answer: the last in a row that have no reply yet, whether they are new or were
   * stored before. So a turn that is tried again, or goes on after a crash, has the same. Maybe none.
   */
  readonly said: readonly Message[];
  /**
   * Position of the first of `said` in the stored conversation, counted from its very first message, from 0; what the store
   * has dropped counts. Absent where nothing is stored, and where nothing is said.
   */
  readonly position?: number | undefined;
  /** Whether the run goes on with approvals, tool results or a history that a client sent back: a turn that began before. */
  readonly isContinuation: boolean;
  /** The key in the registry of the agent that the turn begins with. */
  readonly agentName: string;
  /** `RunConfig.conversationId`. */
  readonly conversationId?: string | undefined;
  /** `RunConfig.signal`. */
  readonly signal?: AbortSignal | undefined;
  /** What is declared of the prompts that stay the same: `RunConfig.cache`, else `cacheable` of the agent. */
  readonly cache?: CacheableConfig | false | undefined;
  /** When the run began, in milliseconds since 1970; where its reply was stored before, when the store last wrote. */
  readonly startedAt: number;
  /**
   * Asks the model once; also after the run is over. Resolves with the reply's text. Rejects with what the model provider
   * throws, and where it replies without text or calls a tool.
   */
  readonly complete: (request: CompletionRequest) => Promise<string>;
}

/** What a middleware adds to a turn. */
export interface TurnAddition {
  /** Goes behind the agent's instructions, after an empty line, in every model call of the turn. */
  readonly instructions?: string | undefined;
  /**
   * Stands right before what the user said last, in every model call of the turn, as a text in front of the message's content
   * that says `transient: true`. It is shown alone: neither stored nor part of any state. What it says should tell whose words
   * it is. Where the user has said nothing, it goes behind the instructions.
   */
  readonly beforeNewestMessage?: string | undefined;
}

/**
 * Takes part in a run: in its turns, at the beginning and at the end, and in each model call and tool call.
 *
 * `onStart` and `onFinish` can't break a run: what they throw is told as a `middleware_failed` event, and the run goes on
 * without them. What a `wrap…` hook throws is how the call ends. A run that is aborted doesn't wait for any.
 *
 * A run's middleware takes part in all of it. An agent's `onStart` and `onFinish` are called in runs that begin with the
 * agent; its `wrap…` hooks wrap the agent's own calls, also after a handoff to it.
 */
export interface Middleware<Ctx> {
  /** For events. */
  readonly name: string;
  /** Called once, before the first model call. All middleware begin at the same time; their additions keep their order. */
  readonly onStart?: (
    turn: MiddlewareTurn<Ctx>,
  ) => Promise<TurnAddition | undefined> | TurnAddition | undefined;
  /**
   * Called once the run has completed, and its reply is stored; never for one that failed or was interrupted. `turn` is
   * the object that `onStart` got. The run's result waits for it, other runs of the conversation don't: put long work off,
   * and durably.
   *
   * A run that finds a stored conversation with nothing to answer calls it, too, and no `onStart`: the run that stored the
   * reply may have died before it did. So it may be called again for the same turn, which `position` tells.
   */
  readonly onFinish?: (turn: MiddlewareTurn<Ctx>, reply: Message) => Promise<void> | void;
  /**
   * Wraps each model call of a turn, its retries and `RunConfig.modelFallback` included; not `MiddlewareTurn.complete`, nor the
   * making of a summary. The run's hooks come first, the outermost, then the agent's, in the order of the lists.
   *
   * `next(changes)` asks the model, with what is changed of the request, and resolves with the reply as its provider gave it;
   * it rejects with `ModelCallFailure`. What the hook returns is the reply. A hook that doesn't call `next` answers by itself:
   * the model isn't asked. One that calls it again, which it may once the first has ended, asks again. A streamed text goes on
   * its way meanwhile, and is taken back (`llm_retract`) where the reply turns out another.
   *
   * What it throws ends the run with `ModelCallError`, a `ModelCallFailure` of `next` with that error itself. While `next` isn't
   * under way, the hooks of a call have as long as one attempt of a model call (`RunConfig.modelTimeoutMs`).
   */
  readonly wrapModelCall?: WrapModelCall<Ctx>;
  /**
   * Wraps each execution of a tool, once its arguments are valid and approved; not handoffs, nor calls that the client makes.
   * The order is that of `wrapModelCall`.
   *
   * `next(changes)` runs the tool, and resolves with what it returns; it rejects with what the tool throws. What the hook
   * returns is the tool's answer, and what it throws is dealt with as if the tool had thrown it. All of it has the tool's
   * time limit, and a tool isn't begun after that, nor after an abort.
   */
  readonly wrapToolCall?: WrapToolCall<Ctx>;
}
