import type { TraceEvent } from "../events.ts";
import { valueSoFar } from "./value-so-far.ts";

/**
 * A part of an output that a model is writing: any property and any end of a list can be missing, and a text can be the
 * beginning of the text. So literals and enumerations of texts become `string`. Numbers and booleans are complete.
 */
export type DeepPartial<Value> = unknown extends Value
  ? Value
  : Value extends string
    ? string
    : Value extends readonly unknown[]
      ? number extends Value["length"]
        ? readonly DeepPartial<Value[number]>[]
        : { readonly [Index in keyof Value]?: DeepPartial<Value[Index]> }
      : Value extends object
        ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
        : Value;

/** An output, or what there is of it so far. */
export type PartialOutput<Out> =
  | {
      readonly isComplete: false;
      /** `undefined`: the model retracted what there was. */
      readonly output: DeepPartial<Out> | undefined;
    }
  /** The run has completed. `output`: its output, which the agent's `outputCodec` has decoded. */
  | { readonly isComplete: true; readonly output: Out };

/** An event of a turn of `@jaf/server`, as its client yields it. */
interface ServedEvent {
  readonly number: number;
  readonly event: {
    readonly type: string;
    readonly text?: string;
    readonly message?: unknown;
    readonly status?: string;
    readonly output?: unknown;
  };
}

/** Follows the output of a run through its events. */
export interface PartialOutputs<Out> {
  /**
   * Takes the next event: of `runStream` and `AgentClient.stream`, or of the client of `@jaf/server`. Returns the output
   * if the event changes it; otherwise `undefined`.
   */
  readonly take: (event: TraceEvent | ServedEvent) => PartialOutput<Out> | undefined;
}

/**
 * Returns what there is so far of an output, from the text that the model has written so far. Returns `undefined` if
 * there is nothing yet, or if the text isn't JSON. JSON in a code fence counts, as it does for the whole output. The
 * part isn't validated: its type holds only if the model keeps to the codec. It is what the codec gets, before any
 * transformation.
 *
 * @example
 * ```ts
 * import { partialOutput } from "@jaf/core/partial-output";
 *
 * console.log(partialOutput<{ city: string; days: number }>('{"city": "Pu')); // { city: "Pu" }
 * ```
 */
export const partialOutput = <Out>(text: string): DeepPartial<Out> | undefined =>
  valueSoFar(text) as DeepPartial<Out> | undefined;

/** Up to this many characters of a text, each piece is parsed. */
const SHORT_TEXT = 16_384;
/** A longer text is parsed each time that it has grown by this factor. */
// So the time for all of the text grows with its length, and not with its square.
const GROWTH = 1.01;

/**
 * Follows the output of a run while the model writes it. The parts aren't validated; see {@link partialOutput}. The last
 * value is the run's output. A run that fails or is interrupted has none.
 *
 * @example
 * ```ts
 * import { type RunConfig, type RunState, runStream } from "@jaf/core";
 * import { createPartialOutput } from "@jaf/core/partial-output";
 *
 * declare const state: RunState<object>;
 * declare const config: RunConfig<object>;
 * declare const show: (title: string | undefined, isComplete: boolean) => void;
 *
 * const report = createPartialOutput<{ title: string; pages: number }>();
 * for await (const event of runStream(state, config)) {
 *   const changed = report.take(event);
 *   if (changed !== undefined) show(changed.output?.title, changed.isComplete);
 * }
 * ```
 */
export function createPartialOutput<Out>(): PartialOutputs<Out> {
  let text = "";
  /** The length of the text at which it is parsed next. */
  let due = 0;
  /** The value that was returned last, as JSON. */
  let shown: string | undefined;

  const changed = (): PartialOutput<Out> | undefined => {
    const output = partialOutput<Out>(text);
    due = text.length <= SHORT_TEXT ? 0 : text.length * GROWTH;
    const json = JSON.stringify(output);
    if (json === shown) return undefined;
    shown = json;
    return { isComplete: false, output };
  };
  const add = (piece: string): PartialOutput<Out> | undefined => {
    text += piece;
    return text.length < due ? undefined : changed();
  };
  const restart = (): PartialOutput<Out> | undefined => {
    text = "";
    return changed();
  };

  return {
    take: (event) => {
      const step = "event" in event ? stepOfTurn(event.event) : stepOfRun(event);
      switch (step?.type) {
        case "text":
          return add(step.text);
        case "retracted":
          return restart();
        case "ended":
          return changed();
        case "completed":
          return { isComplete: true, output: step.output as Out };
        default:
          return undefined;
      }
    },
  };
}

/** What an event means for the output. `"ended"`: no more text follows. */
type Step =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "retracted" | "ended" }
  | { readonly type: "completed"; readonly output: unknown };

function stepOfRun(event: TraceEvent): Step | undefined {
  switch (event.type) {
    case "llm_delta":
      return { type: "text", text: event.data.text };
    case "llm_retract":
      return { type: "retracted" };
    case "llm_retry":
    case "llm_fallback":
      return event.data.discardText ? { type: "retracted" } : undefined;
    case "assistant_message":
      return stepOfMessage(event.data.message);
    case "run_end": {
      const { outcome } = event.data;
      return outcome.status === "completed"
        ? { type: "completed", output: outcome.output }
        : { type: "ended" };
    }
    default:
      return undefined;
  }
}

function stepOfTurn({ type, text = "", message, status, output }: ServedEvent["event"]): Step | undefined {
  switch (type) {
    case "text":
      return { type: "text", text };
    case "retract":
      return { type: "retracted" };
    case "message":
      return stepOfMessage(message);
    case "turn_end":
      return status === "completed" ? { type: "completed", output } : { type: "ended" };
    default:
      return undefined;
  }
}

/** The text of a message that calls tools isn't an output. */
const stepOfMessage = (message: unknown): Step =>
  hasCalls(message) ? { type: "retracted" } : { type: "ended" };

const hasCalls = (message: unknown): boolean =>
  typeof message === "object" &&
  message !== null &&
  "tool_calls" in message &&
  Array.isArray(message.tool_calls) &&
  message.tool_calls.length > 0;
