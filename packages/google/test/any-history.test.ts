import { createRunState, createTool } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkContents } from "../../../test/fakes/gemini-rules.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { createGoogleProvider, GoogleCacheRegistry } from "../src/index.ts";
import { partOfRun, runOfPart } from "../src/text-runs.ts";
import { configOf } from "./support/setup.ts";

const MODELS = ["gemini-3-pro-preview", "gemini-2.5-flash"] as const;

const text = fc.oneof(fc.string(), fc.constantFrom("", " ", "Hi.", "日本 🌍"));
const origin = fc.option(
  fc.record({
    provider: fc.constantFrom("google", "openai"),
    api: fc.constantFrom("generate-content", "chat"),
    model: fc.constantFrom(...MODELS),
  }),
  { nil: undefined },
);
const opaque = { providerMetadata: { google: { thoughtSignature: "OPAQUE" } } };
const part = fc.oneof(
  text.map((said) => ({ type: "text", text: said, ...opaque })),
  text.map((said) => ({ type: "text", text: said })),
  text.map((said) => ({ type: "reasoning", text: said, signature: "OPAQUE", ...opaque })),
  text.map((said) => ({ type: "refusal", refusal: said })),
  fc.constantFrom(
    { type: "media", mediaType: "image/png", data: Uint8Array.of(1) },
    { type: "media", mediaType: "application/pdf", url: "https://a.example/a.pdf" },
    { type: "media", mediaType: "text/plain", data: "aGk=" },
    { type: "media", mediaType: "audio/wav", fileId: "f" },
    { type: "provider-tool-call", id: "x", name: "search", input: "OPAQUE" },
    { type: "unknown", data: "OPAQUE" },
  ),
);
const content = fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 }));
const name = fc.oneof(fc.constantFrom("look_up", "look.up", "x".repeat(70)), fc.string({ minLength: 1 }));
const id = fc.oneof(fc.constantFrom("call_1", "call_2", "functions.f:0"), fc.string({ minLength: 1 }));
const call = fc.oneof(
  fc.record({ id, name, input: fc.oneof(fc.constant('{"a":1}'), text) }).map(({ id, name, input }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: input },
    ...opaque,
  })),
  fc.record({ id, name, input: text }).map(({ id, name, input }) => ({
    id,
    type: "custom" as const,
    custom: { name, input },
  })),
);
const step = fc
  .record({
    content,
    origin,
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
    results: content,
  })
  .map(({ content, origin, calls, results }): readonly RichMessage[] => [
    {
      role: "assistant",
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(origin === undefined ? {} : { origin }),
    },
    ...calls.map(({ id }): RichMessage => ({ role: "tool", tool_call_id: id, content: results })),
  ]);
const said = fc.record({
  role: fc.constantFrom("user", "system", "developer"),
  content,
}) as fc.Arbitrary<RichMessage>;
const history = fc
  .array(
    fc.oneof(
      said.map((message) => [message]),
      step,
    ),
    { maxLength: 8 },
  )
  .map((list) => list.flat());

const tools = ["look_up", "look.up"].map((name) =>
  createTool({ name, description: "d", parameters: z.object({ a: z.number() }), execute: async () => "" }),
);

/** What is sent of a history: the cached prompt, if any, and the request. */
async function sentOf(messages: readonly RichMessage[], model: string, cached: number | undefined) {
  let kept: JsonObject | undefined;
  let body: JsonObject = {};
  const values = new Map<string, string>();
  const store = {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
    setIfAbsent: async () => true,
  };
  const provider = createGoogleProvider({
    baseURL: "http://localhost/v1beta",
    model,
    provider: "google",
    cacheRegistry: new GoogleCacheRegistry({ store }),
    fetch: async (url, init) => {
      const sent: JsonObject = JSON.parse(String(init?.body));
      if (String(url).endsWith("/cachedContents")) {
        kept = sent;
        return Response.json({ name: "cachedContents/1" });
      }
      body = sent;
      return Response.json({ candidates: [{ content: { parts: [{ text: "Ok." }] }, finishReason: "STOP" }] });
    },
  });
  const cache = cached === undefined ? {} : { cache: { instructions: true, tools: true, messages: cached } };
  const { config } = configOf(provider, { tools }, cache);
  const [agent] = config.agentRegistry.values();
  const state = { ...createRunState({ agentName: "helper", context: {} }), messages: messages as never };
  await provider.getCompletion(state, agent as never, config);
  return { kept, body };
}

describe("any history", () => {
  it.each(MODELS)(
    "is one that %s takes, also behind a cached prompt, and holds nothing opaque of another's",
    async (model) => {
      await fc.assert(
        fc.asyncProperty(history, fc.option(fc.nat(8), { nil: undefined }), async (messages, cached) => {
          const signatures = {
            owner: model,
            opaque: { isGenuine: () => true },
            areRequired: model === MODELS[0],
          };
          const { kept, body } = await sentOf(messages, model, cached);
          expect(kept === undefined).toBe(cached === undefined);
          const contents = checkContents(body, signatures, kept);
          expect(contents[0]?.role).toBe("user");
          const foreign = messages.map(({ origin: _, ...message }) => message as RichMessage);
          expect(JSON.stringify(await sentOf(foreign, model, cached))).not.toContain("OPAQUE");
        }),
        { numRuns: 150 },
      );
    },
  );
});

describe("any texts in a row", () => {
  const piece = fc.record(
    {
      text: fc.oneof(fc.string(), fc.constantFrom("", "\ud83c", "🌍")),
      thoughtSignature: fc.constantFrom("a", "b"),
    },
    { requiredKeys: ["text"] },
  );

  it("go back with each signature on its own text, and all that was said", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (run) => {
        const part = partOfRun(run);
        const back = part === undefined ? [] : runOfPart(part);
        const signed = (pieces: readonly object[]) => pieces.filter((each) => "thoughtSignature" in each);
        expect(signed(back)).toEqual(signed(run));
        expect(back.map((each) => each["text"]).join("")).toBe(run.map((each) => each.text).join(""));
      }),
    );
  });
});
