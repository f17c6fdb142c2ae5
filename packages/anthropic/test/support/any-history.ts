import type { ContentPart, RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCache } from "../../../../test/fakes/anthropic-cache.ts";
import { checkMessages } from "../../../../test/fakes/anthropic-rules.ts";
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
  withoutOrigins,
} from "../../../../test/models/any-history.ts";
import { createAnthropicProvider } from "../../src/index.ts";
import { MODEL } from "./setup.ts";

const content = contentOf(
  fc.oneof(
    { weight: 4, arbitrary: anyPart },
    fc.constantFrom<ContentPart>(
      { type: "reasoning", text: "never signed" },
      { type: "media", mediaType: "audio/wav", data: "aGk=" },
      { type: "source", id: "source-1", sourceType: "url", url: "https://a.example/" },
      { type: "image_url", image_url: { url: "https://a.example/a.png" } },
    ),
  ),
);
/** Parts that a model of the Messages API never sends. */
const isSent = ({ type }: ContentPart): boolean => type !== "image_url";

const origin = originOf({
  providers: ["anthropic", "openai"],
  apis: ["messages", "chat"],
  models: [MODEL, "n"],
});

const own = (type: string) => ({ providerMetadata: { anthropic: { type, data: OPAQUE } } });

/** A search with call and result, or only one of them. */
const searchParts = (searches: string, id: string): readonly ContentPart[] =>
  [
    { type: "provider-tool-call", id, name: "s", input: {}, ...own("server_tool_use") },
    { type: "provider-tool-result", id, output: [], ...own("web_search_tool_result") },
  ].filter((_, at) => searches === "whole" || searches === ["call", "result"][at]);

/** A reply with calls that have their results, none or others, and with complete or incomplete searches. */
const step = fc
  .record({
    content,
    origin,
    calls: callsOf(["toolu_1", "toolu_2", "functions.f:0", "y".repeat(90)]),
    searches: fc.constantFrom("none", "whole", "call", "result"),
    results: content,
    answered: fc.constantFrom("all", "some", "none", "twice", "others"),
  })
  .map(
    ({ content, origin, calls, searches, results, answered }): HistoryStep =>
      (place) => {
        const found = searchParts(searches, `srvtoolu_${place}`);
        const reply: RichMessage = {
          role: "assistant",
          content: Array.isArray(content) ? [...found, ...content.filter(isSent)] : content,
          ...calling(calls),
          ...(origin === undefined ? { extra: OPAQUE } : { origin }),
        };
        const answers = resultsOf(calls, results);
        const stray: RichMessage = { role: "tool", tool_call_id: "stray", content: results };
        const given = {
          all: answers,
          some: answers.slice(1),
          none: [],
          twice: [...answers, ...answers],
          others: [stray, ...answers],
        }[answered];
        return [reply, ...given];
      },
  );

/** The request body for a history. */
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
  await goOn(provider, messages, { cache: { instructions: true, tools: true, messages: "all" } });
  return body;
}

export function describeAnyHistory(numRuns: number): void {
  describe("any history", () => {
    it("is accepted by Anthropic, without opaque fields of other models", async () => {
      await fc.assert(
        fc.asyncProperty(historyOf(content, step), async (messages) => {
          const body = await bodyOf(messages);
          checkCache(body, checkMessages(body));
          const other = await bodyOf(withoutOrigins(messages));
          checkCache(other, checkMessages(other));
          expect(JSON.stringify(other)).not.toContain(OPAQUE);
        }),
        { numRuns },
      );
    });
  });
}
