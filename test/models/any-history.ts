import * as fc from "fast-check";
import * as z from "zod";
import { createRunState, createTool } from "../../packages/core/src/index.ts";
import type { ContentPart, RichMessage, RichToolCall } from "../../packages/memory/src/index.ts";
import type { AnyProvider } from "./model-api.ts";
import { configOf } from "./run.ts";

/** Generators of random histories, from which each provider builds its own. */

export const text = fc.oneof(fc.string(), fc.constantFrom("", " ", "Hi.", "日本 🌍"));

/** All opaque data of a history contains this word. */
export const OPAQUE = "OPAQUE";

/** Parts that a history of any provider can contain. */
export const anyPart: fc.Arbitrary<ContentPart> = fc.oneof(
  text.map((said) => ({ type: "text", text: said })),
  text.map((said) => ({ type: "reasoning", text: said, signature: OPAQUE })),
  text.map((said) => ({ type: "refusal", refusal: said })),
  fc.constantFrom<ContentPart>(
    { type: "media", mediaType: "image/png", data: Uint8Array.of(1) },
    { type: "media", mediaType: "application/pdf", url: "https://a.example/a.pdf" },
    { type: "media", mediaType: "text/plain", data: "aGk=" },
  ),
);

export const contentOf = (part: fc.Arbitrary<ContentPart>) =>
  fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 }));

interface Origins {
  readonly providers: readonly string[];
  readonly apis: readonly string[];
  readonly models: readonly string[];
}

/** The origin of some provider's model, or none. */
export const originOf = ({ providers, apis, models }: Origins) =>
  fc.option(
    fc.record({
      provider: fc.constantFrom(...providers),
      api: fc.constantFrom(...apis),
      model: fc.constantFrom(...models),
    }),
    { nil: undefined },
  );

const name = fc.oneof(fc.constantFrom("look_up", "look.up", "x".repeat(70)), fc.string({ minLength: 1 }));

/** Up to three calls, with these ids among others. `further`: additional fields of a function. */
export function callsOf(ids: readonly string[], further: object = {}) {
  const id = fc.oneof(fc.constantFrom(...ids), fc.string({ minLength: 1 }));
  const call: fc.Arbitrary<RichToolCall> = fc.oneof(
    fc.record({ id, name, input: fc.oneof(fc.constant('{"a":1}'), text) }).map(({ id, name, input }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: input },
      ...further,
    })),
    fc
      .record({ id, name, input: text })
      .map(({ id, name, input }) => ({ id, type: "custom" as const, custom: { name, input } })),
  );
  return fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id });
}

export const calling = (calls: readonly RichToolCall[]): Pick<RichMessage, "tool_calls"> =>
  calls.length === 0 ? {} : { tool_calls: calls };

export const resultsOf = (
  calls: readonly RichToolCall[],
  content: RichMessage["content"],
): readonly RichMessage[] => calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content }));

/** A model's step with its results, at a position of the history. */
export type HistoryStep = (place: number) => readonly RichMessage[];

export function historyOf(
  content: fc.Arbitrary<RichMessage["content"]>,
  step: fc.Arbitrary<HistoryStep>,
): fc.Arbitrary<readonly RichMessage[]> {
  const role = fc.constantFrom<RichMessage["role"]>("user", "system", "developer");
  const said = fc.record({ role, content }).map(
    (message): HistoryStep =>
      () => [message],
  );
  return fc
    .array(fc.oneof(said, step), { maxLength: 8 })
    .map((list) => list.flatMap((at, place) => at(place)));
}

/** The same messages without origins, like imported ones. */
export const withoutOrigins = (messages: readonly RichMessage[]): readonly RichMessage[] =>
  messages.map(({ origin: _, ...message }) => message as RichMessage);

const tools = ["look_up", "look.up"].map((name) =>
  createTool({ name, description: "d", parameters: z.object({ a: z.number() }), execute: async () => "" }),
);

/** Calls the provider with a history, for an agent with two tools that get the same name in the API. */
export async function goOn(
  provider: AnyProvider,
  messages: readonly RichMessage[],
  further: Parameters<typeof configOf>[2] = {},
) {
  const { config } = configOf(provider, { tools }, further);
  const [agent] = config.agentRegistry.values();
  const state = { ...createRunState({ agentName: "helper", context: {} }), messages: messages as never };
  return provider.getCompletion(state, agent as never, config);
}
