import type {
  ContextManifest,
  Interruption,
  ModelOrigin,
  ModelUsage,
  Spent,
  ToolResultStatus,
} from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";

/**
 * An event of a turn. The turn log stores it, and clients get it as JSON or as a server-sent event. Events are numbered
 * from 0 without gaps. The first event is `turn_start`, the last is `turn_end`.
 *
 * `text`, `reasoning`, `part` and `tool_arguments` events are pieces of a reply in progress. A `message` event holds the whole reply. It
 * replaces all pieces since the last `message`, `retract` or `turn_start`. A `retract` event removes these pieces.
 */
export type TurnEvent =
  | TurnStartEvent
  | TextEvent
  | ReasoningEvent
  | PartEvent
  | ToolArgumentsEvent
  | RetractEvent
  | TurnMessageEvent
  | InputEvent
  | ToolStartEvent
  | ToolEndEvent
  | InterruptionEvent
  | HandoffEvent
  | InnerTurnEvent
  | ContextEvent
  | ModelCallEvent
  | TurnEnd;

/** The first event of a turn. */
export interface TurnStartEvent {
  readonly type: "turn_start";
  readonly turnId: string;
  readonly conversationId: string;
  /** Name of the agent at the start of the turn. */
  readonly agentName: string;
  /** Position of the first message that the turn adds after the user's input. */
  readonly position?: number;
}

/** A piece of the reply's text. Pieces that arrive within a short time are joined. */
export interface TextEvent {
  readonly type: "text";
  readonly text: string;
}

/** A piece of the model's reasoning. Pieces that arrive within a short time are joined. */
export interface ReasoningEvent {
  readonly type: "reasoning";
  readonly text: string;
}

/** A piece of the reply that is neither text nor a tool call, e.g. an image. */
export interface PartEvent {
  readonly type: "part";
  readonly part: ContentPart;
}

/**
 * A piece of a tool call that the model is writing. Pieces of a call that arrive within a short time are joined. Nothing
 * has been checked yet; `tool_start` has the arguments that the tool gets.
 */
export interface ToolArgumentsEvent {
  readonly type: "tool_arguments";
  /** The call's number in the reply, which all its pieces have. Calls are in the order of these numbers. */
  readonly index: number;
  /** The call's id, which is the same in the message. Absent: not known before the message. */
  readonly toolCallId?: string;
  /** Absent: not known yet. */
  readonly toolName?: string;
  /** A piece of the arguments' JSON text, or of the text input of a custom call. Can be `""`. */
  readonly arguments: string;
}

/** Removes the pieces of the reply in progress. */
export interface RetractEvent {
  readonly type: "retract";
  /**
   * Why the pieces are removed:
   *
   * - `"retry"`: the model call is repeated.
   * - `"fallback"`: another model is called.
   * - `"guardrail"`: a guardrail blocked the reply.
   * - `"handed-over"`: the process shuts down, or a queue continues the turn. Another process takes the turn over.
   * - `"taken-over"`: another process took over the turn.
   */
  readonly reason: "retry" | "fallback" | "guardrail" | "handed-over" | "taken-over";
}

/** A complete message, which is now part of the conversation. */
export interface TurnMessageEvent {
  readonly type: "message";
  readonly agentName: string;
  readonly message: Message;
  /** Present if the turn was stopped, so the message may be incomplete. */
  readonly stopped?: true;
}

/** Messages that the turn has taken from the conversation's inbox. They are now part of the conversation, in this order. */
export interface InputEvent {
  readonly type: "input";
  /** User messages. One that the user didn't send has the field `from`: `"timer"` or `"work"`. */
  readonly messages: readonly Message[];
}

/** A tool call starts. */
export interface ToolStartEvent {
  readonly type: "tool_start";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The call's parsed arguments. */
  readonly args: unknown;
}

/** A tool call has ended with a result. */
export interface ToolEndEvent {
  readonly type: "tool_end";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: ToolResultStatus;
  readonly durationMs: number;
  /** The result as the model sees it. If the result consists of parts, this is their text. */
  readonly result: string;
  /** The parts of the result, if it consists of parts (e.g. text and an image). */
  readonly parts?: readonly ContentPart[];
}

/** A tool call waits for an approval, or for a result from the client. The turn will end with status `interrupted`. */
export interface InterruptionEvent {
  readonly type: "interruption";
  readonly interruption: Interruption;
}

/** The agent `from` hands the turn off to the agent `to`. */
export interface HandoffEvent {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

/**
 * Something that an agent did that runs as a tool (see `asTool`). It comes after the `tool_start` of the call that runs the
 * agent. The pieces of the agent's replies and its final reply have no events: the final reply is the call's result. What
 * the agent waits for comes as an `interruption` of the turn.
 */
export interface InnerTurnEvent {
  readonly type: "inner";
  /**
   * The id of the tool call that runs the agent. For an agent that another such agent has called, it consists of the ids of
   * the calls that lead to it, e.g. `"call_1/call_7"`. A call in `event` has only its own id.
   */
  readonly toolCallId: string;
  /** The id of the agent's own conversation in the store. Absent: nothing is stored. No route reads this conversation. */
  readonly conversationId?: string;
  /** `message`: a reply with tool calls. */
  readonly event: TurnMessageEvent | ToolStartEvent | ToolEndEvent | HandoffEvent | ModelCallEvent;
}

/** Says which messages the next model call sends, and why others are left out. */
export interface ContextEvent {
  readonly type: "context";
  readonly manifest: ContextManifest;
}

/** A model call has ended, after all its attempts. */
export interface ModelCallEvent {
  readonly type: "model_call";
  readonly agentName: string;
  readonly model: string;
  readonly status: "success" | "error";
  readonly durationMs: number;
  /** The number of tokens of all attempts together. */
  readonly usage?: ModelUsage;
  /** The cost of the tokens in `usage`, by the prices in `RunConfig.prices`. */
  readonly cost?: number;
  readonly finishReason?: string;
  /** The model that replied, if the provider reports it. */
  readonly origin?: ModelOrigin;
}

/** The last event of a turn, which says how the turn ended. */
export interface TurnEnd {
  readonly type: "turn_end";
  /**
   * How the turn ended:
   *
   * - `"completed"`: with the agent's final reply.
   * - `"interrupted"`: tool calls wait for an approval or for a result from the client.
   * - `"stopped"`: a stop was requested. The text so far is kept.
   * - `"error"`: the turn failed; see `error`.
   */
  readonly status: "completed" | "interrupted" | "stopped" | "error";
  /** Why the turn failed. Present only with status `error`. Holds no conversation content. */
  readonly error?: TurnError;
  /** The tool calls that wait for an approval or for the client. Present only with status `interrupted`. */
  readonly interruptions?: readonly Interruption[];
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The conversation's version after the turn; see `ConversationMetadata.version`. Absent if unknown. */
  readonly version?: number;
  /** The number of tokens of the turn's model calls. Counts only the calls of the process that ended the turn. */
  readonly usage?: ModelUsage;
  /**
   * Usage and cost of the turn's run (`run`) and of all runs of the conversation (`conversation`). Absent if the model
   * provider reports no usage.
   */
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
}

/** Why a turn failed. Holds no conversation content. */
export interface TurnError {
  /**
   * The `_tag` of a `JAFError`, or `"Lost"` if the turn's process ended and no other process could continue the turn.
   */
  readonly code: string;
  /** What happened, in a sentence. */
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}
