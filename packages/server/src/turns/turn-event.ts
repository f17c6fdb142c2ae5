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
      /** Where in the conversation the first message stands that the turn adds, its input included. */
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
