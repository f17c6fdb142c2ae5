import type {
  ContextManifest,
  Interruption,
  ModelOrigin,
  ModelUsage,
  Spent,
  ToolResultStatus,
} from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import { base64Of, MAX_DEPTH } from "@jaf/memory/internal";

/**
 * An event of a turn, as stored in the turn log and sent as JSON or server-sent event. Events are numbered from 0 without gaps. The
 * first is `turn_start`, the last `turn_end`.
 *
 * `text`, `reasoning` and `part` are pieces of a reply in progress. A `message` holds the whole reply and replaces all pieces since
 * the last `message`, `retract` or `turn_start`. A `retract` removes these pieces.
 */
export type TurnEvent =
  | TurnStartEvent
  | TextEvent
  | ReasoningEvent
  | PartEvent
  | RetractEvent
  | TurnMessageEvent
  | ToolStartEvent
  | ToolEndEvent
  | InterruptionEvent
  | HandoffEvent
  | ContextEvent
  | ModelCallEvent
  | TurnEnd;

/** The first event of a turn. */
export interface TurnStartEvent {
  readonly type: "turn_start";
  readonly turnId: string;
  readonly conversationId: string;
  /** The agent at the start of the turn. */
  readonly agentName: string;
  /** Position of the first message that the turn adds after its input. */
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

/** A part of the reply that is neither text nor a call, e.g. an image. */
export interface PartEvent {
  readonly type: "part";
  readonly part: ContentPart;
}

/** Removes the pieces: the model call is repeated, a guardrail blocked the reply, or another process took over the turn. */
export interface RetractEvent {
  readonly type: "retract";
  /** `"fallback"`: another model is called. */
  readonly reason: "retry" | "fallback" | "guardrail" | "taken-over";
}

/** A message is now part of the conversation. */
export interface TurnMessageEvent {
  readonly type: "message";
  readonly agentName: string;
  readonly message: Message;
  /** The turn was stopped, so the message may be incomplete. */
  readonly stopped?: true;
}

/** A tool call starts. */
export interface ToolStartEvent {
  readonly type: "tool_start";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parsed arguments. */
  readonly args: unknown;
}

/** A tool call has its result. */
export interface ToolEndEvent {
  readonly type: "tool_end";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: ToolResultStatus;
  readonly durationMs: number;
  /** The result as the model sees it. For a result with parts, their text. */
  readonly result: string;
  /** The parts of a result with parts. */
  readonly parts?: readonly ContentPart[];
}

/** A call waits for its approval or its result. The turn ends as `interrupted`. */
export interface InterruptionEvent {
  readonly type: "interruption";
  readonly interruption: Interruption;
}

/** Another agent continues the turn. */
export interface HandoffEvent {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

/** The messages of the next model call. */
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
  /** The sum over all attempts. */
  readonly usage?: ModelUsage;
  /** The cost of these tokens, by `RunConfig.prices`. */
  readonly cost?: number;
  readonly finishReason?: string;
  /** The model that replied, if the provider reports it. */
  readonly origin?: ModelOrigin;
}

/** The last event of a turn: how it ended. */
export interface TurnEnd {
  readonly type: "turn_end";
  /** `stopped`: by request. The text so far is kept. */
  readonly status: "completed" | "interrupted" | "stopped" | "error";
  /** Only with status `error`. Holds no conversation content. */
  readonly error?: TurnError;
  /** The waiting calls, with status `interrupted`. */
  readonly interruptions?: readonly Interruption[];
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The conversation's version after the turn; see `ConversationMetadata.version`. Absent if unknown. */
  readonly version?: number;
  /** The tokens of the model calls in the process that ended the turn. */
  readonly usage?: ModelUsage;
  /** The usage and cost of the turn's run, and of all runs of the conversation. Absent if the provider reports no usage. */
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
}

/** Why a turn failed. Holds no conversation content. */
export interface TurnError {
  /** The `_tag` of a `JAFError`, or `"Lost"` if the turn's process is gone and no other could continue it. */
  readonly code: string;
  /** What happened, in a sentence. */
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** An event with its stored text. */
export interface EncodedEvent {
  /** Equal to the decoded text. Frozen because all readers in this process share it. */
  readonly event: TurnEvent;
  readonly text: string;
}

export function encodeEvent(event: TurnEvent): EncodedEvent {
  const plain = plainEvent(event);
  return { event: plain, text: JSON.stringify(plain) };
}

/** Decodes the text of an {@link EncodedEvent}. */
export const decodeEvent = (text: string): TurnEvent => JSON.parse(text) as TurnEvent;

/**
 * Returns a copy of the event as JSON would restore it. Bytes become base64, as in a `MediaPart` with a `data` string. Values
 * that JSON can't represent are left out, also what is part of itself, can't be read or is nested deeper than stores accept: an
 * event that can't be stored would stall its turn.
 */
export const plainEvent = <Event extends TurnEvent>(event: Event): Event =>
  plainOf(event, "", new Set()) as Event;

/** The maximum depth of an event. Storable values are a few levels inside it. */
const MAX_EVENT_DEPTH = MAX_DEPTH + 20;

/** Returns `undefined` if the value is left out. `around`: the objects that contain it. */
function plainOf(given: unknown, key: string, around: Set<object>): unknown {
  // A Buffer's `toJSON` would return a list of numbers.
  if (given instanceof Uint8Array) return base64Of(given);
  const value = jsonOf(given, key);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "bigint":
      // JSON would throw, and the event of a tool with such a number would be lost.
      return String(value);
    case "object":
      return value === null ? null : plainObject(value, around);
    default:
      return undefined;
  }
}

/** Applies `toJSON`, e.g. of a Date or a URL. */
function jsonOf(value: unknown, key: string): unknown {
  try {
    return typeof value === "object" &&
      value !== null &&
      "toJSON" in value &&
      typeof value.toJSON === "function"
      ? value.toJSON(key)
      : value;
  } catch {
    return undefined;
  }
}

function plainObject(value: object, around: Set<object>): object | undefined {
  if (around.has(value) || around.size >= MAX_EVENT_DEPTH) return undefined;
  around.add(value);
  try {
    return Object.freeze(plainFields(value, around));
  } catch {
    return undefined;
  } finally {
    around.delete(value);
  }
}

function plainFields(value: object, around: Set<object>): object {
  if (Array.isArray(value))
    return Array.from(value, (item, index) => plainOf(item, `${index}`, around) ?? null);
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const plain = plainOf(field, key, around);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  // fromEntries defines properties, so `__proto__` stays a normal key.
  return Object.fromEntries(fields);
}
