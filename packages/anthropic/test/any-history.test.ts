import { createRunState, createTool } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkCache } from "../../../test/fakes/anthropic-cache.ts";
import { checkMessages } from "../../../test/fakes/anthropic-rules.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { createAnthropicProvider } from "../src/index.ts";
import { configOf, MODEL } from "./support/setup.ts";

const text = fc.oneof(fc.string(), fc.constantFrom("", " ", "Hi.", "日本 🌍"));
const origin = fc.option(
  fc.record({
    provider: fc.constantFrom("anthropic", "openai"),
    api: fc.constantFrom("messages", "chat"),
    model: fc.constantFrom(MODEL, "n"),
  }),
  { nil: undefined },
);
const search = (type: string) => ({ anthropic: { type, data: "OPAQUE" } });
const part = fc.oneof(
  text.map((said) => ({ type: "text", text: said })),
  text.map((said) => ({ type: "reasoning", text: said, signature: "OPAQUE" })),
  text.map((said) => ({ type: "refusal", refusal: said })),
  fc.constantFrom(
    { type: "reasoning", text: "never signed" },
    { type: "media", mediaType: "image/png", data: Uint8Array.of(1) },
    { type: "media", mediaType: "application/pdf", url: "https://a.example/a.pdf" },
    { type: "media", mediaType: "text/plain", data: "aGk=" },
    { type: "media", mediaType: "audio/wav", data: "aGk=" },
    { type: "image_url", image_url: { url: "https://a.example/a.png" } },
  ),
);
const content = fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 }));
const name = fc.oneof(fc.constantFrom("look_up", "look.up", "x".repeat(70)), fc.string({ minLength: 1 }));
const id = fc.oneof(
  fc.constantFrom("toolu_1", "toolu_2", "functions.f:0", "y".repeat(90)),
  fc.string({ minLength: 1 }),
);
const call = fc.oneof(
  fc.record({ id, name, input: fc.oneof(fc.constant('{"a":1}'), text) }).map(({ id, name, input }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: input },
  })),
  fc.record({ id, name, input: text }).map(({ id, name, input }) => ({
    id,
    type: "custom" as const,
    custom: { name, input },
  })),
);
/** Of a model that answers by Messages no such part comes. */
const isSent = ({ type }: { readonly type: string }): boolean => type !== "image_url";

/** A turn whose calls have results, or not, or others, and whose searches are whole or half. */
const step = fc
  .record({
    content,
    origin,
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
    searches: fc.constantFrom("none", "whole", "call", "result"),
    results: content,
    answered: fc.constantFrom("all", "some", "none", "twice", "others"),
  })
  .map(
    ({ content, origin, calls, searches, results, answered }) =>
      (place: number): readonly RichMessage[] => {
        const searchId = `srvtoolu_${place}`;
        const halves = [
          {
            type: "provider-tool-call",
            id: searchId,
            name: "s",
            input: {},
            providerMetadata: search("server_tool_use"),
          },
          {
            type: "provider-tool-result",
            id: searchId,
            output: [],
            providerMetadata: search("web_search_tool_result"),
          },
        ].filter((_, at) => searches === "whole" || searches === ["call", "result"][at]);
        const turn: RichMessage = {
          role: "assistant",
          content: Array.isArray(content) ? [...halves, ...content.filter(isSent)] : content,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
          ...(origin === undefined ? { extra: "OPAQUE" } : { origin }),
        };
        const answers = calls.map(
          ({ id }): RichMessage => ({ role: "tool", tool_call_id: id, content: results }),
        );
        const given = {
          all: answers,
          some: answers.slice(1),
          none: [],
          twice: [...answers, ...answers],
          others: [{ role: "tool" as const, tool_call_id: "stray", content: results }, ...answers],
        }[answered];
        return [turn, ...given];
      },
  );
const said = fc.record({
  role: fc.constantFrom("user", "system", "developer"),
  content,
}) as fc.Arbitrary<RichMessage>;
const history = fc
  .array(
    fc.oneof(
      said.map((message) => () => [message]),
      step,
    ),
    { maxLength: 8 },
  )
  .map((list) => list.flatMap((messagesAt, place) => messagesAt(place)));

const tools = ["look_up", "look.up"].map((name) =>
  createTool({ name, description: "d", parameters: z.object({ a: z.number() }), execute: async () => "" }),
);

/** The body that is sent of a history. */
async function bodyOf(messages: readonly RichMessage[]): Promise<JsonObject> {
  let body: JsonObject = {};
  const provider = createAnthropicProvider({
    baseURL: "http://localhost",
    model: MODEL,
    provider: "anthropic",
    fetch: async (_, init) => {
      body = JSON.parse(String(init?.body));
      return Response.json({ content: [{ type: "text", text: "Ok." }] });
    },
  });
  const cache = { instructions: true, tools: true, messages: "all" } as const;
  const { config } = configOf(provider, { tools }, { cache });
  const [agent] = config.agentRegistry.values();
  const state = { ...createRunState({ agentName: "helper", context: {} }), messages: messages as never };
  await provider.getCompletion(state, agent as never, config);
  return body;
}

describe("any history", () => {
  it("is one that Anthropic takes, with nothing opaque of another's", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (messages) => {
        const body = await bodyOf(messages);
        checkCache(body, checkMessages(body));
        const foreign = messages.map(
          ({ origin: _, ...message }): RichMessage => ({ ...message }) as RichMessage,
        );
        const other = await bodyOf(foreign);
        checkCache(other, checkMessages(other));
        expect(JSON.stringify(other)).not.toContain("OPAQUE");
      }),
      { numRuns: 500 },
    );
  });
});
