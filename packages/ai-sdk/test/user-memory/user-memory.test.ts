import { createInMemoryProvider } from "@jaf/memory";
import { createMessageSearch, MemoryUserMemory } from "@jaf/user-memory";
import { generateText, simulateReadableStream, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { messageSearchTools, userMemoryMiddleware, userMemoryTools } from "../../src/user-memory/index.ts";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
const stop = { unified: "stop", raw: "stop" } as const;
const text = (words: string) =>
  ({ content: [{ type: "text", text: words }], finishReason: stop, usage, warnings: [] }) as never;
const callOf = (toolName: string, input: object) =>
  ({
    content: [{ type: "tool-call", toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) }],
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage,
    warnings: [],
  }) as never;
const modelOf = (...replies: never[]) =>
  new MockLanguageModelV3({ doGenerate: async () => replies.shift() ?? text("Yes.") });
const systemOf = (model: MockLanguageModelV3, index: number) =>
  JSON.stringify(model.doGenerateCalls[index]?.prompt[0]);

describe("userMemoryMiddleware", () => {
  it("learns from the user's words, and recalls them in another conversation", async () => {
    const memory = new MemoryUserMemory();
    const inner = modelOf();
    const model = wrapLanguageModel({
      model: inner,
      middleware: userMemoryMiddleware({ memory, user: "ann", learn: "verbatim" }),
    });
    await generateText({ model, system: "Be brief.", prompt: "My favourite fruit is the quince." });
    await memory.drain();
    await generateText({ model, system: "Be brief.", prompt: "Which fruit is my favourite?" });
    expect(systemOf(inner, 0)).not.toContain("quince");
    expect(systemOf(inner, 1)).toMatch(/Be brief\..*user-memory.*quince/s);
    const other = wrapLanguageModel({
      model: inner,
      middleware: userMemoryMiddleware({ memory, user: "bob" }),
    });
    await generateText({ model: other, prompt: "Which fruit is my favourite?" });
    expect(JSON.stringify(inner.doGenerateCalls[2]?.prompt)).not.toContain("quince");
  });

  it("learns from a stream once it has ended, and not from one that fails", async () => {
    const memory = new MemoryUserMemory();
    const stream = (...chunks: object[]) => ({
      stream: simulateReadableStream({
        chunks: [{ type: "stream-start", warnings: [] }, ...chunks] as never[],
      }),
    });
    const finish = { type: "finish", finishReason: stop, usage };
    const replies = [
      stream({ type: "error", error: new Error("cut") }),
      stream(
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Ok." },
        { type: "text-end", id: "t" },
        finish,
      ),
    ];
    const model = wrapLanguageModel({
      model: new MockLanguageModelV3({ doStream: async () => replies.shift() ?? stream(finish) }),
      middleware: userMemoryMiddleware({ memory, user: "ann", learn: "verbatim" }),
    });
    await streamText({
      model,
      prompt: "I live in Pune.",
      onError: () => undefined,
      maxRetries: 0,
    }).consumeStream();
    await memory.drain();
    expect(await memory.list("ann")).toEqual([]);
    await streamText({ model, prompt: "I live in Pune." }).consumeStream();
    await memory.drain();
    expect((await memory.list("ann")).map(({ fact }) => fact)).toEqual(["I live in Pune."]);
  });

  it("lets the model choose what to learn with learn: auto", async () => {
    const memory = new MemoryUserMemory();
    const facts = { facts: [{ fact: "The user lives in Pune.", evidence: "I live in Pune", score: 0.9 }] };
    const inner = modelOf(text("Nice."), text(JSON.stringify(facts)));
    const model = wrapLanguageModel({
      model: inner,
      middleware: userMemoryMiddleware({ memory, user: "ann", learn: "auto" }),
    });
    await generateText({ model, prompt: "I live in Pune and this is chatter." });
    await memory.drain();
    expect(JSON.stringify(await memory.list("ann"))).toContain("I live in Pune");
  });

  it("calls the model without facts if the memory fails", async () => {
    const memory = new MemoryUserMemory();
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    await memory.close();
    const model = wrapLanguageModel({
      model: modelOf(),
      middleware: userMemoryMiddleware({
        memory,
        user: "ann",
        learn: "verbatim",
        inject: { onError },
        extract: { onError },
      }),
    });
    expect((await generateText({ model, prompt: "I live in Pune." })).text).toBe("Yes.");
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe("userMemoryTools", () => {
  it("store only what the user said, recall it with its id, and forget it", async () => {
    const memory = new MemoryUserMemory();
    const tools = userMemoryTools({ memory, user: "ann" });
    const run = async (prompt: string, ...replies: never[]) =>
      (await generateText({ model: modelOf(...replies), tools, prompt, stopWhen: stepCountIs(3) })).steps[0]
        ?.toolResults[0]?.output;
    expect(
      await run("I prefer tea.", callOf("remember_fact", { fact: "prefers tea", evidence: "I prefer tea." })),
    ).toMatch(/^Remembered/);
    expect(
      await run("Hello.", callOf("remember_fact", { fact: "is an admin", evidence: "I am an admin" })),
    ).toMatch(/^Not remembered/);
    const recalled = await run("What do I prefer?", callOf("recall_facts", { query: "What do I prefer?" }));
    expect(recalled).toContain("I prefer tea.");
    const [fact] = await memory.list("ann");
    expect(await run("Forget it.", callOf("forget_fact", { id: fact?.id }))).toMatch(/^Forgotten/);
    expect(await memory.list("ann")).toEqual([]);
  });
});

describe("messageSearchTools", () => {
  it("find what the user said in past conversations, but not the question itself", async () => {
    const provider = createInMemoryProvider();
    const prompt = "What did we say about Oslo?";
    for (const [id, content] of [
      ["c1", "I move to Oslo in May."],
      ["c2", prompt],
    ] as const)
      await provider.storeMessages(id, [{ role: "user", content }], { userId: "ann" });
    const tools = messageSearchTools({ search: createMessageSearch(provider), user: "ann" });
    const model = modelOf(callOf("search_conversations", { query: "Oslo" }));
    const { steps } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(3) });
    const shown = steps[0]?.toolResults[0]?.output;
    expect(shown).toContain("user: I move to Oslo in May.");
    expect(shown).not.toContain(prompt);
  });
});
