import type { ContentPart, RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkContents } from "../../../../test/fakes/gemini-rules.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import {
  anyPart,
  calling,
  callsOf,
  contentOf,
  goOn,
  type HistoryStep,
  historyOf,
  OPAQUE,
  originOf,
  resultsOf,
  text,
  withoutOrigins,
} from "../../../../test/models/any-history.ts";
import { createGoogleProvider, GoogleCacheRegistry } from "../../src/index.ts";

/** The first one requires signatures. */
const MODELS = ["gemini-3-pro-preview", "gemini-2.5-flash"] as const;

const signed = { providerMetadata: { google: { thoughtSignature: OPAQUE } } };
const content = contentOf(
  fc.oneof(
    { weight: 4, arbitrary: anyPart },
    text.map((said) => ({ type: "text", text: said, ...signed })),
    text.map((said) => ({ type: "reasoning", text: said, signature: OPAQUE, ...signed })),
    fc.constantFrom<ContentPart>(
      { type: "media", mediaType: "audio/wav", fileId: "f" },
      { type: "provider-tool-call", id: "x", name: "search", input: OPAQUE },
      { type: "unknown", data: OPAQUE },
    ),
  ),
);
const origin = originOf({
  providers: ["google", "openai"],
  apis: ["generate-content", "chat"],
  models: MODELS,
});
const step = fc
  .record({
    content,
    origin,
    calls: callsOf(["call_1", "call_2", "functions.f:0"], signed),
    results: content,
  })
  .map(({ content, origin, calls, results }): HistoryStep => {
    const own = origin === undefined ? {} : { origin };
    return () => [{ role: "assistant", content, ...calling(calls), ...own }, ...resultsOf(calls, results)];
  });

/** The cached prompt, if any, and the request for a history. */
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
  await goOn(provider, messages, cache);
  return { kept, body };
}

/** Sends each history to one of the models. */
export function describeAnyHistory(numRuns: number): void {
  describe("any history", () => {
    it("is accepted by Gemini, even after a cached prompt, without opaque fields of other models", async () => {
      const model = fc.constantFrom(...MODELS);
      const cached = fc.option(fc.nat(8), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(historyOf(content, step), model, cached, async (messages, model, cached) => {
          const { kept, body } = await sentOf(messages, model, cached);
          expect(kept === undefined).toBe(cached === undefined);
          const opaque = { isGenuine: () => true };
          const contents = checkContents(
            body,
            { owner: model, opaque, areRequired: model === MODELS[0] },
            kept,
          );
          expect(contents[0]?.role).toBe("user");
          expect(JSON.stringify(await sentOf(withoutOrigins(messages), model, cached))).not.toContain(OPAQUE);
        }),
        { numRuns },
      );
    });
  });
}
