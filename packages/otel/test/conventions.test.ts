import { readFileSync } from "node:fs";
import { run, runStream } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { SpanKind } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CONVENTIONS_COMMIT } from "../src/conventions.ts";
import { asks, calls, support } from "./support/runs.ts";
import { testTelemetry, withAsyncContext } from "./support/sdk.ts";
import { allowedFor, givenIn, TABLE } from "./support/table.ts";

withAsyncContext();

const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 60,
  cacheWriteTokens: 10,
  reasoningTokens: 5,
};
const reply = {
  usage,
  finishReason: "stop",
  origin: { provider: "openai", api: "chat", model: "large" },
  fields: { id: "resp_1" },
};

/** Spans in which every attribute that is given occurs: a streamed run with a tool, a failed run, and a fact. */
async function everySpan(content: boolean): Promise<readonly ReadableSpan[]> {
  const { telemetry, spans } = testTelemetry({ content });
  const provider = telemetry.provider(createInMemoryProvider());
  const agent = {
    outputCodec: z.object({ ok: z.boolean() }),
    modelConfig: { name: "large", temperature: 0, topP: 1, maxTokens: 99, reasoningEffort: "low" } as const,
  };
  const streamed = telemetry.instrument({
    ...support(
      [
        { ...calls, ...reply },
        { text: '{"ok":true}', ...reply },
      ],
      agent,
    ),
    conversationId: "c-1",
    prices: { large: { input: 1, output: 2 } },
    memory: { provider, autoStore: true },
  });
  const stream = runStream(asks("Where is it?"), streamed);
  for await (const _ of stream);
  const failing = telemetry.instrument({
    ...support([Object.assign(new Error("overloaded"), { status: 400 })]),
    conversationId: "c-2",
  });
  await run(asks("Hi"), failing);
  const failingTool = telemetry.instrument(
    support([{ toolCalls: [{ name: "look_up", arguments: {} }] }, "sorry"]),
  );
  await run(asks("Hi"), failingTool);
  const facts = telemetry.userMemory(new MemoryUserMemory());
  const { id } = await facts.remember("ada", "Likes tea");
  await facts.recall("ada", "tea");
  await facts.forget("ada", id);
  await facts.remember("ada", "").catch(() => undefined);
  return spans();
}

const kindOf = (span: ReadableSpan): keyof typeof TABLE | undefined => {
  const operation = String(span.attributes["gen_ai.operation.name"] ?? "");
  if (/_memory$/.test(operation)) return "memory";
  return operation in TABLE ? (operation as keyof typeof TABLE) : undefined;
};

describe.each([false, true])("the spans with content: %s", (content) => {
  it.each(Object.keys(TABLE) as (keyof typeof TABLE)[])("%s is as the table says", async (kind) => {
    const row = TABLE[kind];
    const spans = (await everySpan(content)).filter((span) => kindOf(span) === kind);
    expect(spans.length).toBeGreaterThan(1);
    const allowed = allowedFor(row, content);
    for (const span of spans) {
      expect(SpanKind[span.kind]?.toLowerCase()).toBe(row.kind);
      expect(Object.keys(span.attributes).filter((name) => !allowed.has(name))).toEqual([]);
      expect(givenIn(row.required).filter((name) => !(name in span.attributes))).toEqual([]);
      expect(span.name).toBe(nameOf(span));
    }
    const seen = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const promised = [
      row.required,
      row.conditional,
      row.recommended,
      ...(content ? [row.optIn] : []),
    ].flatMap(givenIn);
    // A run needs a long history for a summary; see compaction.test.ts.
    expect(promised.filter((name) => !seen.has(name) && name !== "gen_ai.conversation.compacted")).toEqual(
      [],
    );
  });
});

function nameOf({ attributes }: ReadableSpan): string {
  const operation = attributes["gen_ai.operation.name"];
  const subject = attributes["gen_ai.tool.name"] ?? attributes["gen_ai.request.model"];
  if (operation === "invoke_agent") return `invoke_agent ${attributes["gen_ai.agent.name"]}`;
  return subject === undefined ? String(operation) : `${operation} ${subject}`;
}

it("the documentation names the conventions' commit", () => {
  const page = readFileSync(new URL("../../../docs/telemetry.md", import.meta.url), "utf8");
  expect(page.match(/\b[0-9a-f]{40}\b/g)).toEqual([CONVENTIONS_COMMIT, CONVENTIONS_COMMIT]);
});
