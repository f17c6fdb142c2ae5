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
 * An event of a turn, as stored in the turn log and sent as JSON or server-sent event. Events are numbered from 0 without gaps. The
 * first is `turn_start`, the last `turn_end`.
 *
 * `text`, `reasoning` and `part` are pieces of a reply in progress. A `message` holds the whole reply and replaces all pieces since
 * the last `message`, `retract` or `turn_start`. A `retract` removes these pieces.
 */
export type TurnEvent =
  | {
      readonly type: "turn_start";
      readonly turnId: string;
      readonly conversationId: string;
      readonly agentName: string;
      /** Position of the first message that the turn adds after its input. */
      readonly position?: number;
    }
  /** Pieces of one kind that arrive within a short time are joined. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A part that is neither text nor a call, e.g. an image. */
  | { readonly type: "part"; readonly part: ContentPart }
  /** Removes the pieces: the model call is repeated, a guardrail blocked the reply, or another process took over the turn. */
  | {
      readonly type: "retract";
      readonly reason: "retry" | "fallback" | "guardrail" | "taken-over";
    }
  /** The message is now part of the conversation. `stopped`: the turn was stopped, so the message may be incomplete. */
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
      /** The result as the model sees it. For a result with parts, their text. */
      readonly result: string;
      readonly parts?: readonly ContentPart[];
    }
  /** A call waits for its approval or its result. The turn ends as `interrupted`. */
  | { readonly type: "interruption"; readonly interruption: Interruption }
  | { readonly type: "handoff"; readonly from: string; readonly to: string }
  /** The messages of the next model call; see `ContextManifest` of `@jaf/core`. */
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
  /** `stopped`: by request. The text so far is kept. */
  readonly status: "completed" | "interrupted" | "stopped" | "error";
  /** Only with status `error`. Holds no conversation content. */
  readonly error?: TurnError;
  readonly interruptions?: readonly Interruption[];
  /** The decoded output, if the agent has an `outputCodec`. */
  readonly output?: unknown;
  /** The conversation's version after the turn; see `ConversationMetadata.version`. Absent if unknown. */
  readonly version?: number;
  readonly usage?: ModelUsage;
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
};

export interface TurnError {
  /** The `_tag` of a `JAFError`, or `"Lost"` if the turn's process is gone and no other could continue it. */
  readonly code: string;
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

/** Returns a copy of the event as JSON would restore it. Bytes become base64, as in a `MediaPart` with a `data` string. */
export const plainEvent = <Event extends TurnEvent>(event: Event): Event => plainOf(event, "") as Event;

/** Returns `undefined` if JSON leaves the value out. */
function plainOf(given: unknown, key: string): unknown {
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
      return value === null ? null : Object.freeze(plainObject(value));
    default:
      return undefined;
  }
}

/** Applies `toJSON`, e.g. of a Date or a URL. */
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
  // fromEntries defines properties, so `__proto__` stays a normal key.
  return Object.fromEntries(fields);
}
