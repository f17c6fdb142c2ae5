import { fieldsOf, listOf, textField } from "@jaf/model-http";
import {
  type CompleteText,
  type RecalledTurn,
  recallForTurn,
  type TurnMemoryOptions,
} from "@jaf/user-memory";
import { finalText, isOwnCall, spokenMessages } from "./spoken.ts";

/** Options of {@link userMemoryMiddleware}. */
export interface UserMemoryMiddlewareOptions<Version extends "v2" | "v3" | "v4"> extends TurnMemoryOptions {
  /** The id of the user. Your application sets it, never the model. A falsy value: no facts are recalled or stored. */
  readonly user: string | null | undefined;
  /** The conversation in which the facts are learned, for their provenance. */
  readonly conversationId?: string | undefined;
  /**
   * How new facts are stored after each turn: `"verbatim"`: the user's messages as quotations. `"auto"`: the model chooses
   * what to store, which takes one more model call. Default `false`: nothing is stored.
   */
  readonly learn?: "auto" | "verbatim" | false | undefined;
  /** Only facts with at least one of these tags are recalled. New facts get all of these tags. Default: all facts. */
  readonly tags?: readonly string[] | undefined;
  /** The maximum number of facts in a prompt. Default 5. */
  readonly limit?: number | undefined;
  /** The maximum number of tokens of the facts in a prompt. Default: no limit. */
  readonly tokenBudget?: number | undefined;
  /** The specification of middleware: `"v2"` (AI SDK 5), `"v3"` (6) or `"v4"` (7). Default `"v3"`. */
  readonly specification?: Version | undefined;
}

/** The part of a language model of the AI SDK that the middleware calls. */
interface GeneratingModel {
  doGenerate(options: never): PromiseLike<{ readonly content: unknown }>;
}

/** A middleware for `wrapLanguageModel` of the AI SDK. */
export interface UserMemoryMiddleware<Version extends "v2" | "v3" | "v4"> {
  readonly specificationVersion: Version;
  readonly transformParams: <Params extends { readonly prompt: unknown }>(given: {
    readonly params: Params;
    readonly model: GeneratingModel;
  }) => Promise<Params>;
  readonly wrapGenerate: <Result extends { readonly content: unknown }>(given: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: object;
  }) => Promise<Result>;
  readonly wrapStream: <Result extends { readonly stream: ReadableStream }>(given: {
    readonly doStream: () => PromiseLike<Result>;
    readonly params: object;
  }) => Promise<Result>;
}

/**
 * Returns middleware for `wrapLanguageModel` that adds facts about the user to the model's instructions, and learns from the
 * user's words after the final reply of a turn. It recalls for the user's last messages, so each step of a turn with tools gets
 * the same facts. If the user memory fails or is slow, the model is called without facts. Every user message of the prompt
 * counts as the user's own words: put what you retrieve for a prompt into the instructions.
 *
 * @example
 * ```ts
 * import { userMemoryMiddleware } from "@jaf/ai-sdk/user-memory";
 * import type { UserMemory } from "@jaf/user-memory";
 * import { type LanguageModel, wrapLanguageModel } from "ai";
 *
 * declare const memory: UserMemory;
 * declare const model: Exclude<LanguageModel, string> & { readonly specificationVersion: "v3" };
 *
 * export const modelFor = (user: string) =>
 *   wrapLanguageModel({ model, middleware: userMemoryMiddleware({ memory, user, learn: "verbatim" }) });
 * ```
 */
export function userMemoryMiddleware<Version extends "v2" | "v3" | "v4" = "v3">(
  options: UserMemoryMiddlewareOptions<Version>,
): UserMemoryMiddleware<Version> {
  const { user, conversationId, learn = false, tags, limit, tokenBudget, specification } = options;
  const { memory, inject, extract } = options;
  const spec = { user, extract: learn, tags, injectLimit: limit, injectTokenBudget: tokenBudget };
  /** The turn of each call, under the way that its parameters left `transformParams`. */
  const turns = new WeakMap<object, RecalledTurn>();

  return {
    // The default of the type parameter is the default of the option.
    specificationVersion: (specification ?? "v3") as Version,
    transformParams: async ({ params, model }) => {
      const prompt = listOf(params.prompt);
      const spoken = { messages: spokenMessages(prompt), conversationId, complete: completing(model) };
      const turn = await recallForTurn(spec, spoken, { memory, inject, extract });
      const transformed = { ...params, prompt: withInstructions(prompt, turn.facts) };
      turns.set(transformed, turn);
      return transformed;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const text = finalText(result.content);
      if (text !== undefined) await turns.get(params)?.learn(text);
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream();
      const turn = turns.get(params);
      if (turn === undefined) return result;
      return { ...result, stream: result.stream.pipeThrough(learning(turn)) };
    },
  };
}

/** Adds a text to the system message at the beginning of a prompt. */
function withInstructions(prompt: readonly unknown[], text: string): readonly unknown[] {
  if (text === "") return prompt;
  const [first, ...rest] = prompt;
  const { role, content, ...fields } = fieldsOf(first);
  return role === "system" && typeof content === "string"
    ? [{ role, content: `${content}\n\n${text}`, ...fields }, ...rest]
    : [{ role: "system", content: text }, ...prompt];
}

/** Returns the call of a model that proposes facts. */
const completing =
  (model: GeneratingModel): CompleteText =>
  async ({ instructions, messages, signal }) => {
    const prompt = [
      { role: "system", content: instructions },
      ...messages.map(({ content }) => ({ role: "user", content: [{ type: "text", text: content }] })),
    ];
    // Models of each specification accept such a call.
    const result = await model.doGenerate({ prompt, abortSignal: signal } as never);
    const text = finalText(result.content);
    if (text === undefined || text === "") throw new Error("The model's reply has no text.");
    return text;
  };

/** Passes a reply's stream on and learns from the turn once the reply is complete. */
function learning({ learn }: RecalledTurn): TransformStream<unknown, unknown> {
  let text = "";
  let isFinished = false;
  let isFinal = true;
  return new TransformStream({
    transform: (part, controller) => {
      controller.enqueue(part);
      const fields = fieldsOf(part);
      if (fields["type"] === "text-delta") text += textField(fields, "delta") ?? "";
      if (fields["type"] === "finish") isFinished = true;
      if (fields["type"] === "error" || isOwnCall(fields)) isFinal = false;
    },
    flush: async () => {
      if (isFinished && isFinal) await learn(text);
    },
  });
}
