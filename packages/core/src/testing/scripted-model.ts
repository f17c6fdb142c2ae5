import type { ContentPart, ModelOrigin, RichToolCall } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { ResolvedAgent } from "../agent.ts";
import type { ModelUsage } from "../limits/cost.ts";
import type { ModelCompletion, ModelStreamChunk } from "../model/completion.ts";
import type { ModelProvider, RunConfig } from "../run-config.ts";
import type { RunState } from "../state.ts";

type ScriptedAnswer = string | ScriptedReply | Error;

/** Answers a call of a scripted model: with a text, a whole reply, or an error to throw. */
export type ScriptedFunction<Ctx> = (
  request: ScriptedRequest<Ctx>,
) => ScriptedAnswer | Promise<ScriptedAnswer>;

/**
 * What a scripted model does in one call: replies with a text or a whole reply, or throws an error. A function gets the
 * request and returns one of these.
 */
export type ScriptedStep<Ctx> = ScriptedAnswer | ScriptedFunction<Ctx>;

/** A request that a scripted model got. */
export interface ScriptedRequest<Ctx> {
  /** The state, with the messages that the model gets. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The agent that calls the model. */
  readonly agent: ResolvedAgent<Ctx>;
  /** The run's configuration, with the signal of this model call. */
  readonly config: RunConfig<Ctx>;
  /** The text of the agent's instructions for this request. */
  readonly instructions: string;
}

/** A model provider that follows a script of replies; see {@link createScriptedModel}. */
export interface ScriptedModel<Ctx> extends ModelProvider<Ctx> {
  /** Streams the reply of the script's next step, word by word. */
  readonly getCompletionStream: NonNullable<ModelProvider<Ctx>["getCompletionStream"]>;
  /** Every request so far, in the order of the calls. */
  readonly requests: readonly ScriptedRequest<Ctx>[];
  /**
   * Throws a {@link ScriptError} if the model was called less or more often than the script has steps. Call `assertDone` at
   * the end of a test. If the script is one function, any number of calls is right.
   */
  readonly assertDone: () => void;
}

/** A reply of a scripted model. */
export interface ScriptedReply {
  /** The text of the reply. With `reasoning` or `parts`, it becomes a text part between them. */
  readonly text?: string;
  /** The model's reasoning. It becomes the first content part. */
  readonly reasoning?: string;
  /** The last content parts of the message, in order. */
  readonly parts?: readonly ContentPart[];
  /** The text of a refusal. */
  readonly refusal?: string;
  /** The tool calls of the reply, in order. */
  readonly toolCalls?: readonly ScriptedCall[];
  /** Further fields of the message, e.g. `reasoning_details`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The model that replied. */
  readonly origin?: ModelOrigin;
  /** Why the model stopped, e.g. `"length"`. */
  readonly finishReason?: string;
  /** The tokens that the call used. */
  readonly usage?: ModelUsage;
  /**
   * The exact chunks to stream in place of the reply. Without a `done` chunk, the stream counts as cut off. Used only
   * in streams.
   */
  readonly chunks?: readonly ModelStreamChunk[];
}

/** A tool call in a {@link ScriptedReply}. */
export interface ScriptedCall {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments: a value, which is written as JSON, or a text, which is sent unchanged. Default `{}`. */
  readonly arguments?: unknown;
  /** A free text in place of `arguments`, for a tool whose input isn't JSON. The call then has the type `"custom"`. */
  readonly input?: string;
  /** The call's id. Default `call_1`, `call_2` and so on, counted through the whole script. */
  readonly id?: string;
  /** Further fields of the tool call, e.g. `extra_content`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The error of a test that calls the model more often or less often than its script has steps. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

/**
 * Creates a model for tests that follows a script, or that answers each call by one function of the request, which has
 * `state.messages` and `instructions`. Each call of the model, streamed or not, takes the next step of the script. A
 * call after the last step fails. `assertDone` throws if such a call was made, or if steps are left.
 *
 * If the script is one function, the function answers every call, e.g. in a program that has no model yet.
 *
 * @example
 * ```ts
 * import { type Agent, createRunState, run } from "@jaf/core";
 * import { createScriptedModel } from "@jaf/core/testing";
 *
 * declare const agent: Agent<object, string>;
 *
 * const model = createScriptedModel([
 *   { toolCalls: [{ name: "get_weather", arguments: { city: "Pune" } }] },
 *   "It is sunny.",
 * ]);
 * const state = createRunState({ agentName: "agent", context: {}, messages: [{ role: "user", content: "Weather?" }] });
 * const { outcome } = await run(state, { agentRegistry: new Map([["agent", agent]]), modelProvider: model });
 * model.assertDone();
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a script that looks at no context works with every one
export function createScriptedModel<Ctx = any>(answer: ScriptedFunction<Ctx>): ScriptedModel<Ctx>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export function createScriptedModel<Ctx = any>(steps: readonly ScriptedStep<Ctx>[]): ScriptedModel<Ctx>;
export function createScriptedModel<Ctx>(
  script: readonly ScriptedStep<Ctx>[] | ScriptedFunction<Ctx>,
): ScriptedModel<Ctx> {
  const requests: ScriptedRequest<Ctx>[] = [];
  let calls = 0;

  async function next(
    ...[state, agent, config]: Parameters<ModelProvider<Ctx>["getCompletion"]>
  ): Promise<ScriptedReply> {
    const request = { state, agent, config, instructions: agent.instructions(state) };
    requests.push(request);
    const step = typeof script === "function" ? script : script[requests.length - 1];
    if (step === undefined) throw new ScriptError(missing(requests.length, script.length));
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
      if (typeof script === "function") return;
      const left = script.length - requests.length;
      if (left > 0) throw new ScriptError(leftOver(left, script.length));
      if (left < 0) throw new ScriptError(missing(requests.length, script.length));
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

/** Converts the scripted reply into a model's reply. `nextId` creates an id for a tool call without an id. */
function toCompletion(reply: ScriptedReply, nextId: () => string): ModelCompletion {
  const { refusal, toolCalls, fields, origin, finishReason, usage } = reply;
  const message = {
    content: contentOf(reply),
    ...present({ refusal, tool_calls: toolCalls?.map((call) => toCall(call, nextId())) }),
    ...fields,
  };
  return {
    message,
    ...present({ origin, finish_reason: finishReason, usage }),
  };
}

function contentOf({ text, reasoning, parts }: ScriptedReply): string | readonly ContentPart[] | null {
  if (reasoning === undefined && parts === undefined) return text ?? null;
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(parts ?? []),
  ];
}

function toCall({ name, arguments: args, input, id, fields }: ScriptedCall, nextId: string): RichToolCall {
  const common = { ...fields, id: id ?? nextId };
  return input === undefined
    ? { ...common, type: "function", function: { name, arguments: argumentsText(args) } }
    : { ...common, type: "custom", custom: { name, input } };
}

const argumentsText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? {});

/** Yields the chunks of a streamed reply. */
function* toChunks(
  { refusal, fields, toolCalls = [], chunks }: ScriptedReply,
  { message, origin, finish_reason: finishReason, usage }: ModelCompletion,
): Generator<ModelStreamChunk> {
  if (chunks !== undefined) return yield* chunks;
  const { content } = message ?? {};
  if (Array.isArray(content)) for (const part of content) yield* partChunks(part);
  else if (typeof content === "string") yield* textChunks(content);
  for (const [index, { id = "", function: called, custom }] of (message?.tool_calls ?? []).entries()) {
    const { name = "" } = called ?? custom ?? {};
    const text = called?.arguments ?? custom?.input ?? "";
    const middle = Math.ceil(text.length / 2);
    yield { type: "tool_call_delta", index, id, name, arguments: text.slice(0, middle) };
    yield { type: "tool_call_delta", index, arguments: text.slice(middle) };
  }
  const isWhole = [refusal, fields, ...toolCalls.flatMap((call) => [call.input, call.fields])].some(
    (field) => field !== undefined,
  );
  yield {
    type: "done",
    ...(isWhole && message !== undefined ? { message } : {}),
    ...present({ origin, finishReason: finishReason ?? undefined, usage }),
  };
}

function* partChunks(part: ContentPart): Generator<ModelStreamChunk> {
  const isOnlyText = Object.keys(part).length === 2 && typeof part["text"] === "string";
  if (isOnlyText && part.type === "text") yield* textChunks(part["text"] as string);
  else if (isOnlyText && part.type === "reasoning")
    for (const text of wordsOf(part["text"] as string)) yield { type: "reasoning_delta", text };
  else yield { type: "part", part };
}

function* textChunks(content: string): Generator<ModelStreamChunk> {
  for (const text of wordsOf(content)) yield { type: "text_delta", text };
}

const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? [];
