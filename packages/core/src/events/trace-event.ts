import type { ContentPart, Message, ModelOrigin, RunId, TraceId } from "@jaf/memory";
import type { ContextManifest } from "../context/manifest.ts";
import type { Interruption } from "../interruption/interruption.ts";
import type { ModelUsage } from "../model/completion.ts";
import type { RunResult } from "../run-result.ts";
import type { ToolResultStatus } from "../tools/result.ts";

/**
 * Which run an event is of, and its place there. Every event that is told has them; they are optional only so that an event
 * can be written by hand as the specification has it, with `type` and `data`.
 */
interface EventOrigin {
  readonly runId?: RunId;
  /** `RunConfig.conversationId`, where there is one. */
  readonly conversationId?: string;
  /** Counts the events of one execution of a run: 0, 1, 2 and so on, without a gap. */
  readonly sequence?: number;
  /** When it was told, in milliseconds since 1970, by the clock of this process. */
  readonly time?: number;
}

/**
 * What a run tells while it goes on. `run_start` is the first and `run_end` the last of every run. Agents go by their
 * keys in the registry. Events are frozen, and what of the run they show can't be changed through them.
 */
export type TraceEvent = EventOrigin & TypedData;

type TypedData =
  | { readonly type: "run_start"; readonly data: { readonly runId: RunId; readonly traceId: TraceId } }
  | MemoryEvent
  /** A turn begins; one that a resumed run found unfinished begins with its tools. */
  | { readonly type: "turn_start"; readonly data: { readonly turn: number; readonly agentName: string } }
  | ModelEvent
  | ToolEvent
  /** A call waits for somebody: the run is about to end as `interrupted`. */
  | { readonly type: "interruption"; readonly data: { readonly interruption: Interruption } }
  | HandoffEvent
  /** A hook of a middleware, or a function `remembers`, failed: the run goes on without it. */
  | {
      readonly type: "middleware_failed";
      readonly data: {
        /** The middleware's, or `"remembers"`. */
        readonly name: string;
        readonly hook: "onStart" | "onFinish";
        /** The name and the code of the error, and not its message: that may quote the conversation. */
        readonly reason: string;
      };
    }
  | {
      readonly type: "guardrail_tripped";
      readonly data: { readonly stage: "input" | "output"; readonly reason: string };
    }
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  | { readonly type: "run_end"; readonly data: { readonly outcome: RunResult<any>["outcome"] } };

type MemoryEvent =
  /** The stored history was read; `messageCount` is `0` for a new conversation. */
  | {
      readonly type: "memory_loaded";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** These many messages are durable now. */
  | {
      readonly type: "memory_stored";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** The store couldn't be written, for a reason that may pass: the same write is tried again after `delayMs`. */
  | {
      readonly type: "memory_retry";
      readonly data: {
        readonly conversationId: string;
        /** The attempt that failed, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly reason: string;
      };
    };

type ModelEvent =
  /** A model is asked. `model` is the override's or the agent's, or `"default"`: the provider chooses. */
  | { readonly type: "llm_call_start"; readonly data: { readonly agentName: string; readonly model: string } }
  /** What the model gets of the conversation in this call, before middleware changes it, and what became of the rest. */
  | { readonly type: "context"; readonly data: ContextManifest }
  /**
   * A piece of the reply's text, only from `runStream`. Where there are `finalOutputGuardrails`, those of a reply come once
   * it has passed them, behind its `llm_call_end`; see `RunConfig.unjudgedText`.
   */
  | { readonly type: "llm_delta"; readonly data: { readonly agentName: string; readonly text: string } }
  /** A piece of what the model thinks; told, held back and taken back as `llm_delta`s are. It is no part of what it says. */
  | {
      readonly type: "llm_reasoning_delta";
      readonly data: { readonly agentName: string; readonly text: string };
    }
  /** A part of the reply that is neither text nor a call, e.g. an image; told, held back and taken back likewise. */
  | { readonly type: "llm_part"; readonly data: { readonly agentName: string; readonly part: ContentPart } }
  /** The call is tried again after `delayMs`. */
  | {
      readonly type: "llm_retry";
      readonly data: {
        readonly agentName: string;
        /** The attempt that failed, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly reason: string;
        /** The failed attempt had sent `llm_delta`s or the like: take them back. */
        readonly discardText: boolean;
      };
    }
  /**
   * The reply that came as `llm_delta`s, `llm_reasoning_delta`s and `llm_part`s since the last `llm_call_start` or
   * `llm_retry` was refused, by an output guardrail or by the agent's `outputCodec`, and is no part of the conversation: take
   * them back.
   */
  | { readonly type: "llm_retract"; readonly data: { readonly agentName: string } }
  | {
      readonly type: "llm_call_end";
      readonly data: {
        readonly agentName: string;
        readonly model: string;
        readonly status: "success" | "error";
        readonly attempts: number;
        readonly durationMs: number;
        /** Over all attempts, those whose reply could not be used among them. */
        readonly usage?: ModelUsage;
        /** Of these tokens, by `RunConfig.prices`. */
        readonly cost?: number;
        readonly finishReason?: string;
        /** Which model replied, as far as its provider says. */
        readonly origin?: ModelOrigin;
      };
    }
  /** The model failed for good, and the next one is asked; see `RunConfig.modelFallback`. */
  | {
      readonly type: "llm_fallback";
      readonly data: {
        readonly agentName: string;
        readonly from: string;
        readonly to: string;
        readonly reason: string;
        /** The failed model had sent `llm_delta`s: take their text back. */
        readonly discardText: boolean;
      };
    }
  /** The final reply doesn't match the agent's `outputCodec`, and the model is asked once more; see `RunConfig.outputRepairs`. */
  | {
      readonly type: "output_repair";
      readonly data: {
        readonly agentName: string;
        /** Of the same reply, from 1. */
        readonly repair: number;
        /** How many faults the reply has. */
        readonly issueCount: number;
      };
    }
  /** The message is part of the conversation: its calls will run, or it has passed the output guardrails. */
  | {
      readonly type: "assistant_message";
      readonly data: { readonly agentName: string; readonly message: Message };
    };

type ToolEvent =
  | {
      readonly type: "tool_call_start";
      readonly data: {
        readonly toolName: string;
        /** A copy of the parsed ones; as the model wrote them where they are invalid or can't be copied. */
        // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
        readonly args: any;
        readonly toolCallId?: string;
      };
    }
  | {
      readonly type: "tool_call_end";
      readonly data: {
        readonly toolName: string;
        readonly toolCallId: string;
        readonly status: ToolResultStatus;
        readonly durationMs: number;
        /** As the model sees it; of parts, their text. */
        readonly result: string;
        /** What the tool answered, where it answered with parts. */
        readonly parts?: readonly ContentPart[];
      };
    };

type HandoffEvent =
  | { readonly type: "handoff"; readonly data: { readonly from: string; readonly to: string } }
  | {
      readonly type: "handoff_denied";
      readonly data: {
        readonly from: string;
        readonly to: string;
        readonly reason: "not_allowed" | "not_registered" | "already_handed_off";
      };
    };
