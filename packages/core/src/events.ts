import type { ContentPart, Message, ModelOrigin, RunId, TraceId } from "@jaf/memory";
import type { ContextManifest } from "./context-manifest.ts";
import type { Interruption } from "./interruption.ts";
import type { ModelUsage } from "./limits/cost.ts";
import type { RunOutcome } from "./state.ts";
import { callObserver } from "./thrown.ts";
import type { ToolResultStatus } from "./tools/result.ts";

/**
 * The run that an event belongs to, and the event's number in that run. Every event of a run has `runId`, `sequence`
 * and `time`. They are optional in the type, so tests can write events with only `type` and `data`.
 */
interface EventOrigin {
  readonly runId?: RunId;
  /** `RunConfig.conversationId`. Absent if the run has none. */
  readonly conversationId?: string;
  /** The number of the event in one execution of a run: 0, 1, 2 and so on. No number is left out. */
  readonly sequence?: number;
  /** When the event was created, in milliseconds since 1970, by the clock of the process that executes the run. */
  readonly time?: number;
}

/**
 * An event of a run. Every run emits `run_start` first and `run_end` last. An event names an agent by its key in the
 * run's agent registry. Events are frozen.
 */
export type TraceEvent = EventOrigin & TypedData;

type TypedData =
  | { readonly type: "run_start"; readonly data: { readonly runId: RunId; readonly traceId: TraceId } }
  | MemoryEvent
  | InboxEvent
  /** A step begins: a model call and its tools. If a run resumes an unfinished step, only the step's tools are left. */
  | { readonly type: "step_start"; readonly data: { readonly step: number; readonly agentName: string } }
  | ModelEvent
  | ToolEvent
  /** A tool call waits for an approval or for the client. The run is about to end as `interrupted`. */
  | { readonly type: "interruption"; readonly data: { readonly interruption: Interruption } }
  | HandoffEvent
  | InnerEvent
  /**
   * A middleware's hook or a `remembers` function failed. The run continues without the result of this hook or
   * function.
   */
  | {
      readonly type: "middleware_failed";
      readonly data: {
        /** The name of the middleware, or `"remembers"`. */
        readonly name: string;
        readonly hook: "onStart" | "onFinish";
        /** The error's name and code. The error's message is left out, because it can quote the conversation. */
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
  /** The stored history was loaded. `messageCount`: the number of loaded messages; 0 for a new conversation. */
  | {
      readonly type: "memory_loaded";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** The store has stored `messageCount` messages in one write. */
  | {
      readonly type: "memory_stored";
      readonly data: { readonly conversationId: string; readonly messageCount: number };
    }
  /** A write to the store failed with a transient error. It is retried after `delayMs` milliseconds. */
  | {
      readonly type: "memory_retry";
      readonly data: {
        readonly conversationId: string;
        /** The number of the failed attempt, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly reason: string;
      };
    };

type InboxEvent =
  /** The run has taken `count` entries of the inbox as the user `messages`, which the next model call gets. */
  | {
      readonly type: "inbox_taken";
      readonly data: { readonly count: number; readonly messages: readonly Message[] };
    }
  /** `count` entries of the inbox were dropped, because they were invalid or an input guardrail blocked them. */
  | { readonly type: "inbox_refused"; readonly data: { readonly reason: string; readonly count: number } }
  /** The inbox couldn't be read. The run continues, and the entries wait; see `memory.inbox`. */
  | { readonly type: "inbox_failed"; readonly data: { readonly reason: string } };

type ModelEvent =
  /**
   * A model call begins. `model` is the model's name, from the first of these that is set:
   *
   * - `RunConfig.modelOverride`
   * - `Agent.modelConfig.name`
   * - `ModelProvider.defaultModel`
   * - `"default"`
   */
  | { readonly type: "llm_call_start"; readonly data: { readonly agentName: string; readonly model: string } }
  /**
   * Which messages of the conversation the model gets in this call, and why it doesn't get the others. Changes by
   * `wrapModelCall` hooks aren't included.
   */
  | { readonly type: "context"; readonly data: ContextManifest }
  /**
   * A piece of the reply's text; emitted only by `runStream`. If the run has `finalOutputGuardrails`, the pieces are
   * held back until the guardrails have passed the reply. Held pieces are emitted after the `llm_call_end` event; see
   * `RunConfig.unguardedText`.
   */
  | { readonly type: "llm_delta"; readonly data: { readonly agentName: string; readonly text: string } }
  /**
   * A piece of the model's reasoning, which isn't part of the reply's text. It is held back and retracted as
   * `llm_delta` events are.
   */
  | {
      readonly type: "llm_reasoning_delta";
      readonly data: { readonly agentName: string; readonly text: string };
    }
  /**
   * A part of the reply that is neither text nor a call (e.g. an image). It is held back and retracted as `llm_delta`
   * events are.
   */
  | { readonly type: "llm_part"; readonly data: { readonly agentName: string; readonly part: ContentPart } }
  /**
   * A piece of a tool call that the model is writing. The call isn't complete and may be invalid; `tool_call_start` has
   * the arguments that the tool gets. The event is held back and retracted as `llm_delta` events are.
   */
  | {
      readonly type: "llm_tool_call_delta";
      readonly data: {
        readonly agentName: string;
        /** The call's number in the reply, which all its pieces have. Calls are in the order of these numbers. */
        readonly index: number;
        /**
         * The id of the call, which is the same in the message. Absent: the model hasn't given one so far, or it has
         * given one that an earlier call of the reply has, so the engine gives the call another.
         */
        readonly toolCallId?: string;
        /** The name of the called tool. Absent: not known so far. */
        readonly toolName?: string;
        /**
         * A piece of the arguments. All pieces of a call, joined in order, are its JSON text, or the text input of a
         * custom call. `""`: the call begins, or its id or name is known now.
         */
        readonly arguments: string;
      };
    }
  /** An attempt of a model call failed. The call is retried after `delayMs` milliseconds. */
  | {
      readonly type: "llm_retry";
      readonly data: {
        readonly agentName: string;
        /** The number of the failed attempt, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly reason: string;
        /**
         * Whether the failed attempt has emitted pieces of a reply: `llm_delta`, `llm_reasoning_delta`, `llm_part` or
         * `llm_tool_call_delta` events. If `true`, remove their content from the display.
         */
        readonly discardText: boolean;
      };
    }
  /**
   * An output guardrail or the agent's `outputCodec` refused the reply, so it isn't part of the conversation. Remove
   * the reply's content from the display: all `llm_delta`, `llm_reasoning_delta`, `llm_part` and `llm_tool_call_delta`
   * events since the last `llm_call_start` or `llm_retry`.
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
        /** The tokens of all attempts together, including attempts whose reply was unusable. */
        readonly usage?: ModelUsage;
        /** The cost of the tokens in `usage`, by `RunConfig.prices`. Without `prices`: what the service reports. */
        readonly cost?: number;
        readonly finishReason?: string;
        /** The model that replied. Absent: the model provider doesn't report it. */
        readonly origin?: ModelOrigin;
      };
    }
  /** The ledger couldn't record what a model call used, so its sums lack the call; see `RunConfig.ledger`. */
  | {
      readonly type: "ledger_failed";
      readonly data: { readonly agentName: string; readonly model: string; readonly reason: string };
    }
  /** The model `from` failed after all retries. The model `to` is called next; see `RunConfig.modelFallback`. */
  | {
      readonly type: "llm_fallback";
      readonly data: {
        readonly agentName: string;
        readonly from: string;
        readonly to: string;
        readonly reason: string;
        /**
         * Whether the failed model has emitted pieces of a reply: `llm_delta`, `llm_reasoning_delta`, `llm_part` or
         * `llm_tool_call_delta` events. If `true`, remove their content from the display.
         */
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
        /** The number of this repair, from 1. */
        readonly repair: number;
        /** The number of issues that the codec found in the reply. */
        readonly issueCount: number;
      };
    }
  /**
   * The model's message is now part of the conversation: its tool calls are about to run, or it has passed the output
   * guardrails.
   */
  | {
      readonly type: "assistant_message";
      readonly data: { readonly agentName: string; readonly message: Message };
    };

type ToolEvent =
  | {
      readonly type: "tool_call_start";
      readonly data: {
        readonly toolName: string;
        /**
         * A copy of the parsed arguments. If they are invalid or can't be copied: the arguments as the model wrote
         * them.
         */
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
        /** The result that the model gets. If it consists of content parts: the text in these parts. */
        readonly result: string;
        /** The content parts of the result. Absent if the result is a text. */
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
        readonly reason: "not_allowed" | "not_registered" | "already_handed_off" | "awaits_provider";
      };
    };

/** An event of an agent that runs as a tool; see `asTool`. It comes between the start and the end of the tool's call. */
interface InnerEvent {
  readonly type: "inner_event";
  readonly data: {
    /** How deep the agent runs: 1 for an agent that the run's own agent has called, 2 for one that this one has called. */
    readonly depth: number;
    /** The ids of the tool calls that lead to the agent, outermost first. Their number is `depth`. */
    readonly path: readonly string[];
    /** The event, with the `runId`, `conversationId` and `sequence` of the inner run. Never an `inner_event` itself. */
    readonly event: TraceEvent;
  };
}

export type Emit = (event: TraceEvent) => void;

export interface Emitter {
  /** Emits an event. `undefined`: no function gets the events. */
  readonly emit: Emit | undefined;
  /** Stops the emitter. Events that are emitted later are dropped. */
  readonly close: () => void;
}

/** An object that can have an observer `onEvent` (e.g. `RunConfig`). */
export interface Observed {
  readonly onEvent?: Emit | undefined;
}

interface EmitterOptions {
  readonly runId: RunId;
  readonly conversationId: string | undefined;
  readonly sink: Emit | undefined;
}

/** Opens an emitter, which passes each event to `sink` and then to `onEvent`. Both get the same frozen event. */
export function openEmitter(observed: Observed, { runId, conversationId, sink }: EmitterOptions): Emitter {
  const isObserved = observed.onEvent !== undefined;
  if (!isObserved && sink === undefined) return { emit: undefined, close: () => undefined };
  let open = true;
  let sequence = 0;
  return {
    emit: (given) => {
      if (!open) return;
      const { type, data } = given;
      Object.freeze(data);
      const time = Date.now();
      // Written out, because spreading `given` takes 20 times as long, and a model's reply has many events.
      const event = Object.freeze(
        conversationId === undefined
          ? { type, data, runId, sequence, time }
          : { type, data, runId, conversationId, sequence, time },
      ) as TraceEvent;
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
