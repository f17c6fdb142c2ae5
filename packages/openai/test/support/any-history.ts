import type { RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenMessageRule } from "../../../../test/fakes/chat-message-rules.ts";
import { brokenModeRule, type ChatMode, openIssued } from "../../../../test/fakes/chat-modes.ts";
import type { WireMessage } from "../../../../test/fakes/chat-request.ts";
import { brokenToolRule } from "../../../../test/fakes/chat-tool-rules.ts";
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
import { createOpenAIProvider, type Dialect } from "../../src/index.ts";

const SERVICES: readonly (readonly [ChatMode, Dialect])[] = [
  ["openai", "openai"],
  ["deepseek", "deepseek"],
  ["gemini", "gemini"],
  ["openrouter", "compatible"],
];

const content = contentOf(
  fc.oneof(
    { weight: 4, arbitrary: anyPart },
    fc.constantFrom(
      { type: "provider-tool-call", id: "x", name: "search" },
      { type: "unknown", data: OPAQUE },
    ),
  ),
);
const origin = originOf({
  providers: SERVICES.map(([mode]) => mode),
  apis: ["chat", "responses"],
  models: ["m", "n"],
});
/** Messages as an endpoint sends them, with its origin and its opaque fields. */
const step = fc
  .record({
    content,
    origin,
    calls: callsOf(["call_1", "call_2", "functions.f:0", "y".repeat(64)]),
    results: content,
  })
  .map(({ content, origin, calls, results }): HistoryStep => {
    const opaque = { reasoning_content: OPAQUE, extra: OPAQUE };
    const own = origin === undefined ? opaque : { origin, ...(origin.provider === "deepseek" ? opaque : {}) };
    return () => [{ role: "assistant", content, ...calling(calls), ...own }, ...resultsOf(calls, results)];
  });

/** A service's own messages contain only parts that it accepts. */
const asSentBy = (mode: ChatMode, message: RichMessage): RichMessage =>
  message.origin?.provider === mode && Array.isArray(message.content)
    ? { ...message, content: message.content.filter(({ type }) => ["text", "refusal"].includes(type)) }
    : message;

/** The request body for a history. */
async function bodyOf(messages: readonly RichMessage[], mode: ChatMode, dialect: Dialect) {
  let body: Readonly<Record<string, unknown>> = {};
  const provider = createOpenAIProvider({
    baseURL: "http://localhost/v1",
    model: "m",
    provider: mode,
    dialect,
    fetch: async (_, init) => {
      body = JSON.parse(String(init?.body));
      return Response.json({ choices: [{ message: { content: "Ok." } }] });
    },
  });
  await goOn(provider, messages);
  return body;
}

/** Sends each history to one of the services. */
export function describeAnyHistory(numRuns: number): void {
  describe("any history", () => {
    it("is accepted by its service, without opaque fields of other services", async () => {
      await fc.assert(
        fc.asyncProperty(
          historyOf(content, step),
          fc.constantFrom(...SERVICES),
          async (generated, [mode, dialect]) => {
            const messages = generated.map((message) => asSentBy(mode, message));
            const body = await bodyOf(messages, mode, dialect);
            expect(brokenMessageRule(body["messages"] as readonly WireMessage[])).toBeUndefined();
            expect(brokenToolRule(body)).toBeUndefined();
            // Checked without origins, because the random own fields aren't valid for the service.
            const other = await bodyOf(withoutOrigins(messages), mode, dialect);
            const wire = other["messages"] as readonly WireMessage[];
            expect(brokenModeRule(mode, wire, openIssued(), other)).toBeUndefined();
            expect(JSON.stringify(other)).not.toContain(OPAQUE);
          },
        ),
        { numRuns },
      );
    });
  });
}
