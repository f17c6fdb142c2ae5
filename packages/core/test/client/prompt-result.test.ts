import { createInMemoryProvider, type MemoryProvider, type RunId } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  asTool,
  ConversationOwnershipError,
  createAgentClient,
  createTool,
  type TraceEvent,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { clientSetup, type Session } from "../support/client.ts";
import { assistant, calling, result, user } from "../support/setup.ts";
import { failAppends } from "../support/stores.ts";

const clock = createTool({ name: "clock", description: "", parameters: z.object({}), execute: () => "noon" });

describe("the result of a prompt", () => {
  it("contains the run's messages and no earlier ones", async () => {
    const { client } = clientSetup({
      model: ["Hello.", { text: "Let me look.", toolCalls: [{ name: "clock", id: "c" }] }, "Noon."],
      agent: { tools: [clock] },
    });
    const first = await client.forUser("u").prompt("Hi");

    const second = await client.continue(first.conversationId ?? "").prompt("What time is it?");

    expect(first.messages).toEqual([user("Hi"), assistant("Hello.")]);
    expect(second.messages).toEqual([
      user("What time is it?"),
      { ...calling(["c", "clock"]), content: "Let me look." },
      result("c", "noon"),
      assistant("Noon."),
    ]);
    expect(second.finalState.messages).toEqual([...first.messages, ...second.messages]);
    expect(second.text).toBe("Noon.");
    expect(second.output).toBe("Noon.");
    expect(second.interruptions).toEqual([]);
  });

  it("contains the added messages if the run reads only the end, also with a client's history", async () => {
    const { client } = clientSetup({ config: { memory: { window: { maxMessages: 2 } } } });
    const { conversationId = "" } = await client.forUser("u").prompt("1");
    const session = client.continue(conversationId);
    for (const said of ["2", "3", "4", "5", "6"]) await session.prompt(said);

    const seventh = await session.prompt("7");
    expect(seventh.historyFrom).toBeGreaterThan(0);
    expect(seventh.messages).toEqual([user("7"), expect.objectContaining({ role: "assistant" })]);

    const copy = [...seventh.finalState.messages, user("8")];
    const eighth = await session.prompt([], { messages: copy });
    expect(eighth.messages).toEqual([user("8"), expect.objectContaining({ role: "assistant" })]);
  });

  it("contains no messages if an earlier outcome is returned again", async () => {
    const { client } = clientSetup({ model: ["Hello.", "Noon."] });
    const { conversationId = "" } = await client.forUser("u").prompt("Hi");
    const runId = "job 1" as RunId;
    const session = client.continue(conversationId);
    const first = await session.prompt("What time is it?", { runId });

    const again = await session.prompt("What time is it?", { runId });

    expect(first.messages).toEqual([user("What time is it?"), assistant("Noon.")]);
    expect(again.messages).toEqual([]);
    expect(again).toMatchObject({ text: "Noon.", output: "Noon.", outcome: first.outcome });
    expect(again.finalState.messages).toEqual(first.finalState.messages);
    expect(again.usage).toEqual({});
  });

  it("contains messages that repeat earlier texts", async () => {
    const { client } = clientSetup({ model: ["Yes.", "Yes."] });
    const first = await client.forUser("u").prompt("Really?");

    const second = await client.continue(first.conversationId ?? "").prompt("Really?");

    expect(second.messages).toEqual([user("Really?"), assistant("Yes.")]);
    expect(second.finalState.messages).toHaveLength(4);
  });

  it("contains the rest of a turn after a crash", async () => {
    const provider = createInMemoryProvider();
    await provider.storeMessages(
      "c",
      [user("Hi"), calling(["a", "clock"], ["b", "clock"]), result("b", "noon")],
      {
        userId: "u",
      },
    );
    const { client } = clientSetup({
      model: ["Noon."],
      agent: { tools: [clock] },
      config: { store: provider },
    });

    const { messages, text } = await client.forUser("u").continue("c").prompt([]);

    expect(messages).toEqual([result("a", "noon"), assistant("Noon.")]);
    expect(text).toBe("Noon.");
  });

  it("is the stored reply without added messages if the conversation ends with a reply", async () => {
    const { client } = clientSetup({ model: ["Hello."] });
    const { conversationId = "" } = await client.forUser("u").prompt("Hi");

    const again = await client.continue(conversationId).prompt([]);

    expect(again).toMatchObject({ text: "Hello.", output: "Hello.", messages: [], usage: {} });
  });

  it("sums up the usage of the model calls, each count if known", async () => {
    const { client } = clientSetup({
      model: [
        { toolCalls: [{ name: "clock" }], usage: { inputTokens: 10, outputTokens: 2 } },
        { text: "Noon.", usage: { inputTokens: 20, outputTokens: 3, cachedInputTokens: 8 } },
      ],
      agent: { tools: [clock] },
    });

    expect((await client.prompt("Time?")).usage).toEqual({
      inputTokens: 30,
      outputTokens: 5,
      cachedInputTokens: 8,
    });
  });

  it("sums up the usage of agents that run as tools, too", async () => {
    const expert: Agent<unknown, string> = { name: "expert", instructions: "" };
    const { client } = clientSetup({
      model: [
        { toolCalls: [{ name: "expert", arguments: { task: "Look." } }], usage: { inputTokens: 10 } },
        { text: "Seen.", usage: { inputTokens: 5 } },
        { text: "Done.", usage: { inputTokens: 20 } },
      ],
      agent: { tools: [asTool(expert, { description: "Looks" })] },
    });

    expect((await client.forUser("u").prompt("Hi")).usage).toEqual({ inputTokens: 35 });
  });

  it("refuses to continue the conversation of an agent that ran as a tool", async () => {
    const expert: Agent<unknown, string> = { name: "expert", instructions: "" };
    const provider = createInMemoryProvider();
    const { client } = clientSetup({
      model: [{ toolCalls: [{ name: "expert", arguments: { task: "Look." } }] }, "Seen.", "Done."],
      agent: { tools: [asTool(expert, { description: "Looks" })] },
      config: { store: provider },
    });
    const { conversationId = "" } = await client.forUser("u").prompt("Hi");
    const children = await provider.findConversations({ childrenOf: conversationId });
    const child = children.success ? (children.data[0]?.conversationId ?? "") : "";
    expect(child).not.toBe("");

    await expect(client.forUser("u").continue(child).prompt("Hi")).rejects.toThrow(
      ConversationOwnershipError,
    );
  });

  it("has the decoded output of an agent with a codec", async () => {
    const client = createAgentClient(
      { name: "sums", instructions: () => "", outputCodec: z.object({ sum: z.number() }) },
      { modelProvider: createScriptedModel(['{"sum": 3}']), context: {} },
    );

    const { output, text } = await client.prompt("1 + 2");

    expect(output?.sum).toBe(3);
    expect(text).toBe('{"sum": 3}');
  });

  it("passes rich messages of the user on", async () => {
    const { client } = clientSetup({ model: ["A cat."] });
    const picture = { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] };

    const { messages } = await client.forUser("u").prompt([picture as never]);

    expect(messages[0]).toEqual(picture);
  });
});

describe("a prompt that fails", () => {
  it("has its failure as the outcome, and no output", async () => {
    const { client, store } = clientSetup({
      model: [new Error("no model today")],
      config: { modelRetry: { maxAttempts: 1 } },
    });

    const failed = await client.forUser("u").prompt("Hi");

    expect(failed.outcome).toMatchObject({ status: "error", error: { _tag: "ModelCallError" } });
    expect(failed).not.toHaveProperty("output");
    expect(failed.text).toBe("");
    expect(failed.messages).toEqual([user("Hi")]);
    expect(await store.load(failed.conversationId ?? "")).toEqual([]);
  });

  it("can be retried on the conversation that it began", async () => {
    const { client } = clientSetup({
      model: [new Error("no model today"), "Hello."],
      config: { modelRetry: { maxAttempts: 1 } },
    });
    const failed = await client.forUser("u").prompt("Hi");

    const { text, messages } = await client
      .forUser("u")
      .continue(failed.conversationId ?? "")
      .prompt("Hi");

    expect(text).toBe("Hello.");
    expect(messages).toEqual([user("Hi"), assistant("Hello.")]);
  });

  it("reports that the store can't begin a conversation, with the events of a run", async () => {
    const events: TraceEvent[] = [];
    const { client } = clientSetup({ config: { store: await closed() } });

    const failed = await client.forUser("u").prompt("Hi", { onEvent: (event) => events.push(event) });

    expect(failed).not.toHaveProperty("conversationId");
    expect(failed.outcome).toMatchObject({ status: "error", error: { _tag: "MemoryError" } });
    expect(failed.messages).toEqual([user("Hi")]);
    expect(events.map(({ type }) => type)).toEqual(["run_start", "run_end"]);
  });

  it("reports that the store can't store the reply", async () => {
    const { client } = clientSetup({
      model: ["Hello."],
      agent: { conversational: { user: "u" } },
      config: { store: failAppends(createInMemoryProvider(), 1) },
    });

    const { outcome } = await client.prompt("Hi");

    expect(outcome).toMatchObject({
      error: { _tag: "MemoryError", error: { _tag: "MemoryConnectionError" } },
    });
  });

  it("ends when it is aborted, also while the conversation is loaded", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const store: MemoryProvider = {
      ...inner,
      storeMessages: () => {
        abort();
        return new Promise(() => {});
      },
    };
    const { client } = clientSetup({ config: { store } });

    const { outcome } = await client.forUser("u").prompt("Hi", { signal });

    expect(outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted", reason: "enough" } });
  });

  it("begins no conversation after an abort", async () => {
    const { client, store } = clientSetup();

    const { outcome } = await client.forUser("u").prompt("Hi", { signal: AbortSignal.abort() });

    expect(outcome).toMatchObject({ error: { _tag: "RunAborted" } });
    expect(await store.list("u")).toEqual([]);
  });

  it("rejects with the error of the application's context or declaration", async () => {
    const lost = new Error("the session is lost");
    const broken = () => {
      throw lost;
    };

    await expect(clientSetup({ config: { context: broken } }).client.prompt("Hi")).rejects.toBe(lost);
    await expect(clientSetup({ agent: { conversational: broken } }).client.prompt("Hi")).rejects.toBe(lost);
  });
});

async function closed(): Promise<MemoryProvider> {
  const provider = createInMemoryProvider();
  await provider.close();
  return provider;
}

describe("observers of a prompt", () => {
  it("are the client's and the call's, and neither stops the other or the run", async () => {
    const seen: string[] = [];
    const { client } = clientSetup({
      config: {
        onEvent: ({ type }) => {
          seen.push(`client ${type}`);
          if (type === "run_start") throw new Error("a bad observer");
        },
      },
    });
    const warned = new Promise((resolve) => process.once("warning", resolve));

    const { outcome } = await client.prompt("Hi", { onEvent: ({ type }) => seen.push(`call ${type}`) });

    expect(outcome.status).toBe("completed");
    expect(seen.slice(0, 2)).toEqual(["client run_start", "call run_start"]);
    expect(seen.at(-1)).toBe("call run_end");
    await warned;
  });

  it("group runs by their trace id", async () => {
    const model = createScriptedModel<Session>(["Hello."]);
    const { client } = clientSetup({ model });

    const { finalState } = await client.prompt("Hi", { traceId: "trace-1" as never });

    expect(finalState.traceId).toBe("trace-1");
  });
});
