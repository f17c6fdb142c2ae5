import { createInMemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { expect, it, vi } from "vitest";
import { createCheckpointSaver } from "../src/index.ts";
import { checkpointOf, collected, configOf, metadataOf, putRun } from "./support/checkpoints.ts";

const open = () => createInMemoryProvider({ maxMessagesPerConversation: 10_000 });

const conflict = (reason: string) => ({
  name: "MemoryCallError",
  memoryError: { _tag: "MemoryConflictError", reason },
});

/** Returns the number of messages that the action reads. */
async function messagesRead(provider: VersionedMemoryProvider, action: () => Promise<unknown>) {
  const read = vi.spyOn(provider, "readConversation");
  await action();
  const results = await Promise.all(read.mock.results.map(({ value }) => value));
  read.mockRestore();
  return results.reduce((sum, { data }) => sum + (data.conversation?.messages.length ?? 0), 0);
}

it("reads the newest checkpoint, an old one and a missing namespace at the same cost in a long thread", async () => {
  const costs = await Promise.all(
    [5, 500].map(async (count) => {
      const provider = { ...open() };
      const ids = await putRun(createCheckpointSaver({ provider }), configOf("thread"), count);
      const cost = (config: Parameters<typeof configOf>) =>
        messagesRead(provider, async () => {
          const tuple = await createCheckpointSaver({ provider }).getTuple(configOf(...config));
          if (config[1] === "") expect(tuple?.checkpoint.channel_values["first"]).toBe("unchanged");
        });
      return [
        await cost(["thread", ""]),
        await cost(["thread", "", ids[Math.floor(count / 2)]]),
        await cost(["thread", "sub"]),
      ];
    }),
  );
  expect(costs[1]).toEqual(costs[0]);
  expect(costs[0]).toEqual([5, 3, 0]);
});

it("makes one append for each put, and reads nothing that it wrote itself", async () => {
  const provider = { ...open() };
  const saver = createCheckpointSaver({ provider });
  await saver.getTuple(configOf("thread"));
  const append = vi.spyOn(provider, "appendMessages");
  const read = vi.spyOn(provider, "readConversation");
  await putRun(saver, configOf("thread"), 10);
  expect(append).toHaveBeenCalledTimes(20);
  expect(read).not.toHaveBeenCalled();
});

it("goes on from a checkpoint of another process without storing unchanged values again", async () => {
  const provider = open();
  await putRun(createCheckpointSaver({ provider }), configOf("thread"), 3);
  const saver = createCheckpointSaver({ provider });
  const newest = await saver.getTuple(configOf("thread"));
  await saver.put(newest?.config ?? {}, checkpointOf(3), metadataOf(3), { messages: 4 });
  const read = await provider.readConversation("langgraph:thread", { messages: { limit: 1 } });
  const [message] = read.success ? (read.data.conversation?.messages ?? []) : [];
  expect(JSON.stringify(message)).not.toContain("unchanged");
  expect((await saver.getTuple(configOf("thread")))?.checkpoint.channel_values).toEqual({
    first: "unchanged",
    messages: ["m3"],
  });
});

it("finds the checkpoint with the largest id if checkpoints are put in any order, and lists them by id", async () => {
  const provider = open();
  const ids = Array.from({ length: 30 }, (_, step) => uuid6(step));
  const saver = createCheckpointSaver({ provider });
  for (const [step, id] of [...ids.entries()].reverse()) {
    await saver.put(configOf("copy"), checkpointOf(step, id), metadataOf(step), { messages: step + 1 });
  }
  const other = createCheckpointSaver({ provider });
  expect((await other.getTuple(configOf("copy")))?.checkpoint.id).toBe(ids.at(-1));
  const listed = await collected(other.list(configOf("copy")));
  expect(listed.map(({ checkpoint }) => checkpoint.id)).toEqual([...ids].reverse());
});

it("keeps the first write of a task, the last special write, and late writes to an old checkpoint", async () => {
  const provider = open();
  const [first = ""] = await putRun(createCheckpointSaver({ provider }), configOf("thread"), 40);
  const old = configOf("thread", "", first);
  const write = (channel: string, value: string) =>
    createCheckpointSaver({ provider }).putWrites(old, [[channel, value]], "task");
  await write("messages", "ignored");
  await write("__resume__", "no");
  await Promise.all([write("__resume__", "yes"), write("messages", "ignored")]);
  await write("__resume__", "no");
  const tuple = await createCheckpointSaver({ provider }).getTuple(old);
  expect(tuple?.pendingWrites).toEqual([
    ["task", "__resume__", "no"],
    ["task", "messages", "w0"],
  ]);
});

it("stores a checkpoint that is put again with other content, and a copy of a checkpoint whole", async () => {
  const saver = createCheckpointSaver({ provider: open() });
  const [id = ""] = await putRun(saver, configOf("thread"), 1);
  const again = { ...checkpointOf(0, id), channel_values: { first: "changed" } };
  await saver.put(configOf("thread"), again, metadataOf(7), { first: 1 });
  const tuple = await saver.getTuple(configOf("thread", "", id));
  expect(tuple?.checkpoint.channel_values).toEqual({ first: "changed" });
  expect(tuple?.metadata?.step).toBe(7);
  const copy = await saver.put(configOf("thread"), checkpointOf(1), { ...metadataOf(1), source: "fork" }, {});
  expect((await saver.getTuple(copy))?.checkpoint.channel_values).toEqual({
    first: "unchanged",
    messages: ["m1"],
  });
});

it("refuses what a run puts after its user or its thread was erased, also in a subgraph", async () => {
  const provider = open();
  const saver = createCheckpointSaver({ provider, userId: "ada" });
  const erasures = [
    () => provider.clearUserConversations("ada"),
    () => createCheckpointSaver({ provider }).deleteThread("thread"),
  ];
  for (const erase of erasures) {
    await saver.getTuple(configOf("thread"));
    const [id] = await putRun(saver, configOf("thread"), 1);
    await saver.getTuple(configOf("thread", "sub"));
    await erase();
    const late = configOf("thread", "", id);
    await expect(saver.put(late, checkpointOf(1), metadataOf(1), {})).rejects.toMatchObject(
      conflict("incarnation"),
    );
    await expect(saver.putWrites(late, [["a", 1]], "task")).rejects.toMatchObject(conflict("incarnation"));
    const sub = saver.put(configOf("thread", "sub"), checkpointOf(1), metadataOf(1), {});
    await expect(sub).rejects.toMatchObject(conflict("incarnation"));
    expect(await saver.getTuple(configOf("thread"))).toBeUndefined();
    expect(await collected(saver.list({}))).toEqual([]);
  }
});

it.each(["", "the newest checkpoint"])(
  "stores nothing of a subgraph in a thread that was erased and begun again (the run began with: %s)",
  async (began) => {
    const provider = open();
    const memory = { provider, userId: "ada" };
    if (began !== "") await putRun(createCheckpointSaver(memory), configOf("thread"), 2);
    const saver = createCheckpointSaver(memory);
    await saver.getTuple(configOf("thread"));
    await provider.clearUserConversations("ada");
    const other = createCheckpointSaver(memory);
    await other.getTuple(configOf("thread"));
    await putRun(other, configOf("thread"), 2);
    // With the durability "async", the graph's own checkpoint may not be stored yet.
    const { configurable } = configOf("thread", "sub:1");
    const child = { configurable: { ...configurable, checkpoint_map: { "": uuid6(9) } } };
    expect(await saver.getTuple(child)).toBeUndefined();
    const put = saver.put(child, checkpointOf(0), metadataOf(0), { first: 1, messages: 1 });
    await expect(put).rejects.toMatchObject(conflict("incarnation"));
    expect(await collected(other.list(configOf("thread", "sub:1")))).toEqual([]);
  },
);

it("erases a thread with its subgraphs, and lists only threads and namespaces of the user", async () => {
  const provider = open();
  const adas = createCheckpointSaver({ provider, userId: "ada" });
  const bobs = createCheckpointSaver({ provider, userId: "bob" });
  await putRun(adas, configOf("adas", "sub"), 2);
  await putRun(adas, configOf("adas"), 2);
  await putRun(bobs, configOf("bobs"), 1);
  await provider.storeMessages("chat", [{ role: "user", content: "Hi" }], { userId: "ada" });
  const threads = async (saver: typeof adas) =>
    (await collected(saver.list({}))).map(({ config }) => config.configurable?.["checkpoint_ns"]);
  expect(await threads(adas)).toEqual(["", "", "sub", "sub"]);
  expect(await threads(bobs)).toEqual([""]);
  for (const namespace of ["", "sub"]) {
    expect(await bobs.getTuple(configOf("adas", namespace))).toBeUndefined();
    const put = bobs.put(configOf("adas", namespace), checkpointOf(1), metadataOf(1), {});
    await expect(put).rejects.toMatchObject({ name: "MemoryCallError" });
  }
  await bobs.deleteThread("adas");
  expect(await threads(adas)).toHaveLength(4);
  await adas.deleteThread("adas");
  expect(await threads(adas)).toEqual([]);
  expect(await adas.getTuple(configOf("adas", "sub"))).toBeUndefined();
});

it("keeps ids and channels apart, however hostile, and refuses those that no store can hold", async () => {
  const saver = createCheckpointSaver({ provider: open() });
  const hostile = ["*", "%", "a:b", "{}", "__proto__", "constructor", "é", "e\u0301", "x".repeat(240)];
  for (const [step, id] of hostile.entries()) {
    const checkpoint = { ...checkpointOf(step), channel_values: { [id]: id }, channel_versions: { [id]: 1 } };
    await saver.put(configOf(id, id), checkpoint, metadataOf(step), { [id]: 1 });
  }
  for (const id of hostile) {
    const tuple = await saver.getTuple(configOf(id, id));
    expect(Object.entries(tuple?.checkpoint.channel_values ?? {})).toEqual([[id, id]]);
  }
  await expect(saver.getTuple(configOf("x".repeat(300)))).rejects.toMatchObject({
    memoryError: { _tag: "MemoryValidationError" },
  });
  expect(() => createCheckpointSaver({ provider: {} as never })).toThrow(
    "Invalid settings of createCheckpointSaver: provider: expected",
  );
  expect(() => createCheckpointSaver({ provider: open(), userId: "" })).toThrow(
    "Invalid settings of createCheckpointSaver: userId",
  );
});

it("says so if the store has dropped the record of a value", async () => {
  const provider = createInMemoryProvider({ maxMessagesPerConversation: 6 });
  const saver = createCheckpointSaver({ provider });
  await putRun(saver, configOf("thread"), 10);
  await expect(saver.getTuple(configOf("thread"))).rejects.toThrow("keep too few messages");
});
