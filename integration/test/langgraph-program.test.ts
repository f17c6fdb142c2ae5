import { createChatHistory, createCheckpointSaver, createStore } from "@jaf/langgraph";
import type { MemoryProvider } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "./support/langgraph/address.ts";
import { addresses } from "./support/langgraph/backends.ts";
import { runInProcesses } from "./support/langgraph/processes.ts";
import { openProgram } from "./support/langgraph/program.ts";
import { WRITERS } from "./support/langgraph/writers.ts";

describe.each(addresses)("on %s", (_, create) => {
  const address = create();
  let provider: MemoryProvider;
  beforeAll(async () => {
    provider = await openStore(address);
  });
  afterAll(() => provider.close());

  const ask = async (userId: string) =>
    provider.storeMessages(`chat of ${userId}`, [{ role: "user", content: "Order 17 is broken." }], {
      userId,
    });

  it("a run that asks goes on in another process, in a conversation that another engine began", async () => {
    await ask("ada");
    const [begun] = await runInProcesses(address, [{ kind: "begin" }]);
    expect(begun).toEqual({ asks: "Refund order 17?", messages: [] });
    const [resumed] = await runInProcesses(address, [{ kind: "resume", answer: "yes" }]);
    const said = ["Order 17 is broken.", "", "yes", "Done: yes"];
    expect(resumed).toEqual({ messages: said });
    const chat = await provider.getConversation("chat of ada");
    const { messages = [] } = (chat.success && chat.data) || {};
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const { store } = openProgram(provider, "ada");
    expect((await store.search(["refunds"], { query: "refund" })).map(({ key }) => key)).toEqual([
      "order 17",
    ]);
  });

  it("a user who is erased while a run goes on stays erased", async () => {
    await ask("eve");
    const erase = async () => void (await provider.clearUserConversations("eve"));
    const program = openProgram(provider, "eve", erase);
    expect(await program.begin()).toMatchObject({ asks: "Refund order 17?" });
    await expect(program.resume("yes")).rejects.toMatchObject({ name: "MemoryCallError" });
    expect(await provider.getStats("eve")).toMatchObject({ data: { totalConversations: 0 } });
    const saver = createCheckpointSaver({ provider });
    expect(await saver.getTuple({ configurable: { thread_id: "thread of eve" } })).toBeUndefined();
    expect(await openProgram(provider, "eve").store.search([])).toEqual([]);
  });

  it("nothing is lost of 2 × 20 writers in two processes", async () => {
    const writers = ["one", "two"];
    await runInProcesses(
      address,
      writers.map((writer) => ({ kind: "write", writer })),
    );
    const memory = { provider, userId: "ada" };
    const expected = writers
      .flatMap((writer) => Array.from({ length: WRITERS }, (_, n) => `${writer} ${n}`))
      .sort();
    const saver = createCheckpointSaver(memory);
    const puts: string[] = [];
    for await (const { config, metadata, pendingWrites } of saver.list({
      configurable: { thread_id: "shared" },
    })) {
      puts.push(`${pendingWrites?.[0]?.[2]} ${metadata?.step}`);
      expect(await saver.getTuple(config)).toMatchObject({ pendingWrites, metadata });
    }
    expect(puts.sort()).toEqual(expected);
    const history = createChatHistory({ ...memory, conversationId: "shared" });
    expect((await history.getMessages()).map(({ content }) => content).sort()).toEqual(expected);
    const documents = await createStore(memory).search(["shared"], { limit: 100 });
    expect(documents.map(({ key }) => key).sort()).toEqual([...expected, "last"].sort());
  });
});
