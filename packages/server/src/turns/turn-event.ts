import type {
  ContextManifest,
  Interruption,
  ModelOrigin,
  ModelUsage,
  Spent,
  ToolResultStatus,
} from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import { base64Of } from "@jaf/memory/internal";

/**
 * What happens in a turn, as it is stored in the turn log, and as JAF's own JSON and server-sent events show it. Events are numbered
 * from 0, without a gap. The first is `turn_start`, the last `turn_end`.
 *
 * `text`, `reasoning` and `part` are pieces of a reply on its way. A `message` holds the whole reply that the pieces since the
 * last `message`, `retract` or `turn_start` belong to, and takes their place; a `retract` says that these pieces are void.
 */
export type TurnEvent =
  | {
      readonly type: "turn_start";
      readonly turnId: string;
      readonly conversationId: string;
      readonly agentName: string;
      /** Where in the conversation the first message stands that the turn adds to its input. */
      readonly position?: number;
    }
  /** Pieces of one kind that come close together are joined. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A part that is neither text nor a call, e.g. an image. */
  | { readonly type: "part"; readonly part: ContentPart }
  /** Remove the pieces: the attempt failed and is made again, a guardrail refused the reply, or another process begins it anew. */
  | {
      readonly type: "retract";
      readonly reason: "retry" | "fallback" | "guardrail" | "taken-over";
    }
  /** The message is part of the conversation now. `stopped`: the turn was stopped while it was said, so it may be cut off. */
  | {
      readonly type: "message";
      readonly agentName: string;
      readonly message: Message;
      readonly stopped?: true;
    }
  | {
      readonly type: "tool_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: "tool_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly status: ToolResultStatus;
      readonly durationMs: number;
      /** As the model sees it; of a result with parts, their text. */
      readonly result: string;
      readonly parts?: readonly ContentPart[];
    }
  /** A call waits: send its approval or its result. The turn ends as `interrupted`. */
  | { readonly type: "interruption"; readonly interruption: Interruption }
  | { readonly type: "handoff"; readonly from: string; readonly to: string }
  /** What the next model call is given; see `ContextManifest` of `@jaf/core`. */
  | { readonly type: "context"; readonly manifest: ContextManifest }
  | {
      readonly type: "model_call";
      readonly agentName: string;
      readonly model: string;
      readonly status: "success" | "error";
      readonly durationMs: number;
      readonly usage?: ModelUsage;
      readonly cost?: number;
      readonly finishReason?: string;
      readonly origin?: ModelOrigin;
    }
  | TurnEnd;

/** How a turn ended. */
export type TurnEnd = {
  readonly type: "turn_end";
  /** `stopped`: somebody asked for it; what was said so far is kept. */
  readonly status: "completed" | "interrupted" | "stopped" | "error";
  /** Only of an error. Without any content of the conversation. */
  readonly error?: TurnError;
  readonly interruptions?: readonly Interruption[];
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The conversation's version after the turn; see `ConversationMetadata.version`. Absent if it isn't known. */
  readonly version?: number;
  readonly usage?: ModelUsage;
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
};

export interface TurnError {
  /** The `_tag` of a `JAFError`, or `"Lost"`: the turn's process is gone and no other could go on with it. */
  readonly code: string;
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** An event as it is stored, beside its text. */
export interface EncodedEvent {
  /** Equal to what the text decodes to, and frozen: all readers in this process get the same one. */
  readonly event: TurnEvent;
  readonly text: string;
}

export function encodeEvent(event: TurnEvent): EncodedEvent {
  const plain = plainEvent(event);
  return { event: plain, text: JSON.stringify(plain) };
}

/** The event that an {@link EncodedEvent}'s text holds. */
export const decodeEvent = (text: string): TurnEvent => JSON.parse(text) as TurnEvent;

/** A copy that holds what JSON would make of the event. Bytes are base64 there, as in a `MediaPart` whose `data` is a text. */
export const plainEvent = <Event extends TurnEvent>(event: Event): Event => plainOf(event, "") as Event;

/** `undefined`: JSON leaves the value out. */
function plainOf(given: unknown, key: string): unknown {
  // A Buffer has a `toJSON` that makes a list of numbers of it.
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
      // JSON throws here, and a tool whose schema makes such a number would never be told of.
      return String(value);
    case "object":
      return value === null ? null : Object.freeze(plainObject(value));
    default:
      return undefined;
  }
}

/** What a Date, a URL and the like say that they are in JSON. */
const jsonOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON(key)
    : value;

function plainObject(value: object): object {
  if (Array.isArray(value)) return Array.from(value, (item, index) => plainOf(item, `${index}`) ?? null);
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const plain = plainOf(field, key);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  // fromEntries defines properties, so that a key `__proto__` stays a key.
  return Object.fromEntries(fields);
}
