import type { Agent } from "../agent.ts";
import type { ModelProvider, RunConfig } from "../config.ts";
import type { ModelCompletion, ModelStreamChunk, ModelUsage } from "../model/completion.ts";
import type { RunState } from "../state.ts";

export interface ScriptedCall {
  readonly name: string;
  /** A value to be written as JSON, or the text itself, also if it is no JSON. Default `{}`. */
  readonly arguments?: unknown;
  /** Default `call_1`, `call_2` and so on throughout the script. */
  readonly id?: string;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly usage?: ModelUsage;
}

/** A reply's text, a whole reply, an error to throw, or a function that looks at the request and decides. */
export type ScriptedStep<Ctx> =
  | string
  | ScriptedReply
  | Error
  | ((
      request: ScriptedRequest<Ctx>,
    ) => string | ScriptedReply | Error | Promise<string | ScriptedReply | Error>);

/** What the model was asked. */
export interface ScriptedRequest<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
  readonly config: RunConfig<Ctx>;
  /** What the agent's `instructions` gave for the state. */
  readonly instructions: string;
}

export interface ScriptedModel<Ctx> extends ModelProvider<Ctx> {
  readonly getCompletionStream: NonNullable<ModelProvider<Ctx>["getCompletionStream"]>;
  /** Every request so far, in order. */
  readonly requests: readonly ScriptedRequest<Ctx>[];
  /**
   * Throws a {@link ScriptError} if steps of the script are left over, or if there were more calls than steps. Call it
   * at the end of a test.
   */
  readonly assertDone: () => void;
}

/** The code under test and the script disagree about how often the model is called. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

/**
 * A model that follows a script, one step a call, and streams too. A call beyond the last step fails, and so
 * does `assertDone` after one, or when steps are left.
 *
 * @example
 * const model = createScriptedModel([
 *   { toolCalls: [{ name: "get_weather", arguments: { city: "Pune" } }] },
 *   "It is sunny.",
 * ]);
 * const { outcome } = await run(state, { agentRegistry, modelProvider: model });
 * model.assertDone();
 */
// biome-ignore lint/suspicious/noExplicitAny: a script that looks at no context works with every one
export function createScriptedModel<Ctx = any>(steps: readonly ScriptedStep<Ctx>[]): ScriptedModel<Ctx> {
  const requests: ScriptedRequest<Ctx>[] = [];
  let calls = 0;

  async function next(...[state, agent, config]: Parameters<ModelProvider<Ctx>["getCompletion"]>) {
    const request = { state, agent, config, instructions: agent.instructions(state) };
    requests.push(request);
    const step = steps[requests.length - 1];
    if (step === undefined) throw new ScriptError(missing(requests.length, steps.length));
    const reply = typeof step === "function" ? await step(request) : step;
    if (reply instanceof Error) throw reply;
    return typeof reply === "string" ? { text: reply } : reply;
  }

  const toCompletion = ({ text, toolCalls, usage }: ScriptedReply): ModelCompletion => ({
    message: {
      content: text ?? null,
      ...(toolCalls === undefined
        ? {}
        : {
            tool_calls: toolCalls.map((call) => {
              calls += 1;
              const { name, id = `call_${calls}` } = call;
              return { id, type: "function", function: { name, arguments: argumentsText(call.arguments) } };
            }),
          }),
    },
    ...(usage === undefined ? {} : { usage }),
  });

  return {
    requests,
    getCompletion: async (...request) => toCompletion(await next(...request)),
    getCompletionStream: async function* (...request) {
      yield* toChunks(toCompletion(await next(...request)));
    },
    assertDone: () => {
      const left = steps.length - requests.length;
      if (left > 0) throw new ScriptError(leftOver(left, steps.length));
      if (left < 0) throw new ScriptError(missing(requests.length, steps.length));
    },
  };
}

function missing(call: number, steps: number): string {
  return `The model was called a ${ordinal(call)} time, but its script has ${plural(steps, "step")}. Add the missing step, or find out why the run didn't end.`;
}

const leftOver = (left: number, steps: number): string =>
  `The run ended with ${plural(left, "step")} of ${steps} left over in the model's script.`;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function ordinal(count: number): string {
  const suffixes: Partial<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
  const rule = new Intl.PluralRules("en", { type: "ordinal" }).select(count);
  return `${count}${suffixes[rule] ?? "th"}`;
}

const argumentsText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? {});

function* toChunks({ message, usage }: ModelCompletion): Generator<ModelStreamChunk> {
  for (const text of textOf(message).match(/\S+\s*|\s+/g) ?? []) yield { type: "text_delta", text };
  for (const [index, { id = "", function: called }] of (message?.tool_calls ?? []).entries()) {
    const text = called?.arguments ?? "";
    const middle = Math.ceil(text.length / 2);
    yield { type: "tool_call_delta", index, id, name: called?.name ?? "", arguments: text.slice(0, middle) };
    yield { type: "tool_call_delta", index, arguments: text.slice(middle) };
  }
  yield { type: "done", ...(usage === undefined ? {} : { usage }) };
}

const textOf = (message: ModelCompletion["message"]): string =>
  typeof message?.content === "string" ? message.content : "";
