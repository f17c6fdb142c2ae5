import { createRunState, createTool } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { brokenMessageRule } from "../../../test/fakes/chat-message-rules.ts";
import { brokenModeRule, type ChatMode, openIssued } from "../../../test/fakes/chat-modes.ts";
import type { WireMessage } from "../../../test/fakes/chat-request.ts";
import { brokenToolRule } from "../../../test/fakes/chat-tool-rules.ts";
import { createOpenAIProvider, type Dialect } from "../src/index.ts";
import { configOf } from "./support/setup.ts";

const SERVICES: readonly (readonly [ChatMode, Dialect])[] = [
  ["openai", "openai"],
  ["deepseek", "deepseek"],
  ["gemini", "gemini"],
  ["openrouter", "compatible"],
];

const text = fc.oneof(fc.string(), fc.constantFrom("", " ", "Hi.", "日本 🌍"));
const origin = fc.option(
  fc.record({
    provider: fc.constantFrom(...SERVICES.map(([mode]) => mode)),
    api: fc.constantFrom("chat", "responses"),
    model: fc.constantFrom("m", "n"),
  }),
  { nil: undefined },
);
const part = fc.oneof(
  text.map((said) => ({ type: "text", text: said })),
  text.map((said) => ({ type: "reasoning", text: said, signature: "OPAQUE" })),
  text.map((said) => ({ type: "refusal", refusal: said })),
  fc.constantFrom(
    { type: "media", mediaType: "image/png", data: Uint8Array.of(1) },
    { type: "media", mediaType: "application/pdf", url: "https://a.example/a.pdf" },
    { type: "media", mediaType: "text/plain", data: "aGk=" },
    { type: "provider-tool-call", id: "x", name: "search" },
    { type: "unknown", data: "OPAQUE" },
  ),
);
const content = fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 }));
const name = fc.oneof(fc.constantFrom("look_up", "look.up", "x".repeat(70)), fc.string({ minLength: 1 }));
const id = fc.oneof(
  fc.constantFrom("call_1", "call_2", "functions.f:0", "y".repeat(64)),
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
/** As an endpoint sends them, to its own origin and with what is its own. */
const step = fc
  .record({
    content,
    origin,
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
    results: content,
  })
  .map(({ content, origin, calls, results }): readonly RichMessage[] => {
    const opaque = { reasoning_content: "OPAQUE", extra: "OPAQUE" };
    const turn: RichMessage = {
      role: "assistant",
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(origin === undefined ? opaque : { origin, ...(origin.provider === "deepseek" ? opaque : {}) }),
    };
    return [
      turn,
      ...calls.map(({ id }): RichMessage => ({ role: "tool", tool_call_id: id, content: results })),
    ];
  });
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

/** Of its own turns a service sends no part that it wouldn't take. */
const asSentBy = (mode: ChatMode, message: RichMessage): RichMessage =>
  message.origin?.provider === mode && Array.isArray(message.content)
    ? { ...message, content: message.content.filter(({ type }) => ["text", "refusal"].includes(type)) }
    : message;

const tools = ["look_up", "look.up"].map((name) =>
  createTool({ name, description: "d", parameters: z.object({ a: z.number() }), execute: async () => "" }),
);

/** The body that is sent of a history. */
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
  const { config } = configOf(provider, { tools });
  const [agent] = config.agentRegistry.values();
  const state = { ...createRunState({ agentName: "helper", context: {} }), messages: messages as never };
  await provider.getCompletion(state, agent as never, config);
  return body;
}

describe("any history", () => {
  it.each(SERVICES)("is one that %s takes, with nothing opaque of another's", async (mode, dialect) => {
    await fc.assert(
      fc.asyncProperty(history, async (generated) => {
        const messages = generated.map((message) => asSentBy(mode, message));
        const body = await bodyOf(messages, mode, dialect);
        const wire = body["messages"] as readonly WireMessage[];
        expect(brokenMessageRule(wire)).toBeUndefined();
        expect(brokenToolRule(body)).toBeUndefined();
        // Of its own it gets what there is, which these aren't real enough to be judged by.
        const foreign = messages.map(
          ({ origin: _, ...message }): RichMessage => ({
            ...message,
            role: message.role,
            content: message.content,
          }),
        );
        const other = await bodyOf(foreign, mode, dialect);
        const broken = brokenModeRule(mode, other["messages"] as readonly WireMessage[], openIssued(), other);
        expect(broken).toBeUndefined();
        expect(JSON.stringify(other)).not.toContain("OPAQUE");
      }),
      { numRuns: 300 },
    );
  });
});
