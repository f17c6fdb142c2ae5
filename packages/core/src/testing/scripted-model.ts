import type { ResolvedAgent } from "../agent.ts";
import type { ModelProvider, RunConfig } from "../config.ts";
import type { RunState } from "../state.ts";
import { type ScriptedReply, toChunks, toCompletion } from "./scripted-reply.ts";

/** A reply's text, a whole reply, an error to throw, or a function that looks at the request and decides. */
export type ScriptedStep<Ctx> =
  | string
  | ScriptedReply
  | Error
  | ((
      request: ScriptedRequest<Ctx>,
    ) => string | ScriptedReply | Error | Promise<string | ScriptedReply | Error>);

/** A request that the model got. */
export interface ScriptedRequest<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  readonly agent: ResolvedAgent<Ctx>;
  readonly config: RunConfig<Ctx>;
  /** The agent's instructions for the state. */
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
 * A model for tests that follows a script, one step per call, also when streaming. A call beyond the last step fails, and
 * `assertDone` throws after such a call, or if steps are left.
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

  async function next(
    ...[state, agent, config]: Parameters<ModelProvider<Ctx>["getCompletion"]>
  ): Promise<ScriptedReply> {
    const request = { state, agent, config, instructions: agent.instructions(state) };
    requests.push(request);
    const step = steps[requests.length - 1];
    if (step === undefined) throw new ScriptError(missing(requests.length, steps.length));
    const reply = typeof step === "function" ? await step(request) : step;
    if (reply instanceof Error) throw reply;
    return typeof reply === "string" ? { text: reply } : reply;
  }

  const nextId = () => {
    calls += 1;
    return `call_${calls}`;
  };

  return {
    requests,
    getCompletion: async (...request) => toCompletion(await next(...request), nextId),
    getCompletionStream: async function* (...request) {
      const reply = await next(...request);
      yield* toChunks(reply, toCompletion(reply, nextId));
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
