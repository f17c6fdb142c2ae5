import type { ContentPart, Message, ModelOrigin, RunId, TraceId } from "@jaf/memory";
import type { ContextManifest } from "./context-manifest.ts";
import type { Interruption } from "./interruption.ts";
import type { ModelUsage } from "./limits/cost.ts";
import type { RunOutcome } from "./state.ts";
import { callObserver } from "./thrown.ts";
import type { ToolResultStatus } from "./tools/result.ts";

/**
 * The run that an event belongs to, and the event's number in it. Every event of a run has these fields. They are optional in
 * the type so you can write an event by hand with only `type` and `data`, as in the specification.
 */
interface EventOrigin {
  readonly runId?: RunId;
  /** `RunConfig.conversationId`, if there is one. */
  readonly conversationId?: string;
  /** The number of the event in one execution of a run: 0, 1, 2 and so on, without gaps. */
  readonly sequence?: number;
  /** When the event was created, in milliseconds since 1970, by this process's clock. */
  readonly time?: number;
}

/**
 * An event of a run. `run_start` is the first and `run_end` the last event of every run. Agents are named by their registry keys.
 * Events are frozen, so an observer can't change the run through them.
 */
export type TraceEvent = EventOrigin & TypedData;

type TypedData =
  | { readonly type: "run_start"; readonly data: { readonly runId: RunId; readonly traceId: TraceId } }
  | MemoryEvent
  /** A step begins: a model call and its tools. If a resumed run found the step unfinished, it begins with its tools. */
  | { readonly type: "step_start"; readonly data: { readonly step: number; readonly agentName: string } }
  | ModelEvent
  | ToolEvent
  /** A call waits for an approval or the client. The run is about to end as `interrupted`. */
  | { readonly type: "interruption"; readonly data: { readonly interruption: Interruption } }
  | HandoffEvent
  /** A middleware's hook or a `remembers` function failed. The run continues without it. */
  | {
      readonly type: "middleware_failed";
      readonly data: {
        /** The name of the middleware, or `"remembers"`. */
        readonly name: string;
        readonly hook: "onStart" | "onFinish";
        /** The error's name and code. Its message is left out, because it can quote the conversation. */
        readonly reason: string;
      };
    }
  | {
      readonly type: "guardrail_tripped";
      readonly data: { readonly stage: "input" | "output"; readonly reason: string };
    }
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  | { readonly type: "run_end"; readonly data: { readonly outcome: RunOutcome<any> } };

type MemoryEvent =
  /** The stored history was read; `messageCount` is `0` for a new conversation. */
  | {
      readonly type: "memory_loaded";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** Messages were stored. */
  | {
      readonly type: "memory_stored";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** A write to the store failed with a transient error. The same write is retried after `delayMs`. */
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
  /** A model call begins. `model` is the name from the override, the agent or the provider's `defaultModel`, else `"default"`. */
  | { readonly type: "llm_call_start"; readonly data: { readonly agentName: string; readonly model: string } }
  /** The messages that the model gets in this call, before middleware changes them, and what happened to the others. */
  | { readonly type: "context"; readonly data: ContextManifest }
  /**
   * A piece of the reply's text; only in `runStream`. With `finalOutputGuardrails`, the pieces are emitted once the reply has
   * passed them, after its `llm_call_end`; see `RunConfig.unguardedText`.
   */
  | { readonly type: "llm_delta"; readonly data: { readonly agentName: string; readonly text: string } }
  /** A piece of the model's reasoning, which isn't part of the reply's text. Held and retracted like an `llm_delta`. */
  | {
      readonly type: "llm_reasoning_delta";
      readonly data: { readonly agentName: string; readonly text: string };
    }
  /** A part of the reply that is neither text nor a call, e.g. an image. Held and retracted like an `llm_delta`. */
  | { readonly type: "llm_part"; readonly data: { readonly agentName: string; readonly part: ContentPart } }
  /** A model call failed and is retried after `delayMs`. */
  | {
      readonly type: "llm_retry";
      readonly data: {
        readonly agentName: string;
        /** The attempt that failed, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly reason: string;
        /** Whether the failed attempt has emitted `llm_delta` or similar events: remove their pieces. */
        readonly discardText: boolean;
      };
    }
  /**
   * An output guardrail or the agent's `outputCodec` refused the reply, so it isn't part of the conversation. Remove the
   * pieces of all `llm_delta`, `llm_reasoning_delta` and `llm_part` events since the last `llm_call_start` or `llm_retry`.
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
        /** The sum over all attempts, including those whose reply was unusable. */
        readonly usage?: ModelUsage;
        /** The cost of these tokens, by `RunConfig.prices`. */
        readonly cost?: number;
        readonly finishReason?: string;
        /** The model that replied, if the provider reports it. */
        readonly origin?: ModelOrigin;
      };
    }
  /** The model failed after all retries. The next model is called; see `RunConfig.modelFallback`. */
  | {
      readonly type: "llm_fallback";
      readonly data: {
        readonly agentName: string;
        readonly from: string;
        readonly to: string;
        readonly reason: string;
        /** Whether the failed model has emitted `llm_delta` or similar events: remove their pieces. */
        readonly discardText: boolean;
      };
    }
  /**
   * The final reply doesn't match the agent's `outputCodec`, so the model is asked to correct it; see
   * `RunConfig.outputRepairs`.
   */
  | {
      readonly type: "output_repair";
      readonly data: {
        readonly agentName: string;
        /** The number of the repair for the same reply, from 1. */
        readonly repair: number;
        /** The number of issues that the codec found in the reply. */
        readonly issueCount: number;
      };
    }
  /** The message is now part of the conversation: its calls are about to run, or it has passed the output guardrails. */
  | {
      readonly type: "assistant_message";
      readonly data: { readonly agentName: string; readonly message: Message };
    };

type ToolEvent =
  | {
      readonly type: "tool_call_start";
      readonly data: {
        readonly toolName: string;
        /** A copy of the parsed arguments. If they are invalid or can't be copied, the arguments that the model wrote. */
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
        /** The result that the model gets. If it has parts, their text. */
        readonly result: string;
        /** The parts of the result, if it has any. */
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

export type Emit = (event: TraceEvent) => void;

export interface Emitter {
  /** Absent without a listener. */
  readonly emit: Emit | undefined;
  /** Stops the emitter: later events are dropped. */
  readonly close: () => void;
}

/** An object with an observer. The observer is called with the object as `this`, because it can be an instance of a class. */
export interface Observed {
  readonly onEvent?: Emit | undefined;
}

interface EmitterOptions {
  readonly runId: RunId;
  readonly conversationId: string | undefined;
  readonly sink: Emit | undefined;
}

/** Opens an emitter that sends events to the sink, then to the observer. Both get the same frozen event with the run's id. */
export function openEmitter(observed: Observed, { runId, conversationId, sink }: EmitterOptions): Emitter {
  const isObserved = observed.onEvent !== undefined;
  if (!isObserved && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  let sequence = 0;
  const origin = conversationId === undefined ? { runId } : { runId, conversationId };
  return {
    emit: (given) => {
      if (!open) return;
      Object.freeze(given.data);
      const event = Object.freeze({ ...given, ...origin, sequence, time: Date.now() });
      sequence += 1;
      sink?.(event);
      if (isObserved) {
        callObserver(
          () => observed.onEvent?.(event),
          () => `RunConfig.onEvent failed on "${event.type}"; the run continues.`,
        );
      }
    },
    close: () => {
      open = false;
    },
  };
}
