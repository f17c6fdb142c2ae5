import { createMemoryTool, type MemoryCommand } from "@jaf/anthropic";
import type { ToolCallInfo } from "@jaf/core";
import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { type LosslessBackend, openPostgres, openRedis } from "./support/lossless/backends.ts";

/** In memory, all processes are one. */
async function openMemory(): Promise<LosslessBackend> {
  const provider = createInMemoryProvider();
  return { connect: async () => ({ provider, close: async () => {} }), close: async () => {} };
}

const PATH = "/memories/log.md";

async function client(backend: LosslessBackend, wrap = (provider: MemoryProvider) => provider) {
  const { provider, close } = await backend.connect();
  onTestFinished(close);
  const tool = createMemoryTool<string>({ store: wrap(provider), user: (user) => user });
  const ask = (command: MemoryCommand, user = "ada") => tool.execute(command, user);
  return { provider, tool, ask };
}

const view = { command: "view", path: PATH } as const;
const create = (file_text = ""): MemoryCommand => ({ command: "create", path: PATH, file_text });
const insert = (line: string): MemoryCommand => ({
  ...{ command: "insert", path: PATH, insert_line: 0 },
  insert_text: `${line}\n`,
});

describe.each([
  ["in memory", openMemory],
  ["redis", openRedis],
  ["postgres", openPostgres],
])("the memory tool on %s", (_, open) => {
  async function started(): Promise<LosslessBackend> {
    const backend = await open();
    onTestFinished(backend.close);
    return backend;
  }

  it("loses no edit of two clients that write at once", async () => {
    const backend = await started();
    const [one, other] = [await client(backend), await client(backend)];
    const begun = await Promise.all([one.ask(create()), other.ask(create())]);
    expect(begun.toSorted()).toEqual([
      `Error: File ${PATH} already exists`,
      `File created successfully at: ${PATH}`,
    ]);
    const lines = Array.from({ length: 10 }, (_each, index) => `line ${index}`);
    const answers = await Promise.all(
      lines.flatMap((line) => [one.ask(insert(`one ${line}`)), other.ask(insert(`other ${line}`))]),
    );
    expect(new Set(answers)).toEqual(new Set([`The file ${PATH} has been edited.`]));
    const shown = String(await (await client(backend)).ask(view))
      .split("\n")
      .slice(1);
    expect(shown.map((line) => line.split("\t")[1]).toSorted()).toEqual(
      lines.flatMap((line) => [`one ${line}`, `other ${line}`]).toSorted(),
    );
  });

  it("carries out one call once, even if two processes repeat it at once", async () => {
    const backend = await started();
    const [one, other] = [await client(backend), await client(backend)];
    await one.ask(create());
    const call = { idempotencyKey: "call-1", signal: new AbortController().signal };
    const repeat = ({ tool }: typeof one) => tool.execute(insert("x"), "ada", call as ToolCallInfo);
    const answers = await Promise.all([one, other, one, other].map(repeat));
    expect(new Set(answers)).toEqual(new Set([`The file ${PATH} has been edited.`]));
    expect(await one.ask(view)).toBe(`Here's the content of ${PATH} with line numbers:\n     1\tx`);
  });

  it("shows no user the files of another, whatever their ids are", async () => {
    const backend = await started();
    const { ask } = await client(backend);
    const users = ["ada", "ada:1", "*", "%", "__proto__", "ä", "a".repeat(255), "memory-tool:ada"];
    for (const user of users) await ask(create(`of ${user}`), user);
    for (const user of users) expect(await ask(view, user)).toContain(`     1\tof ${user}`);
    expect(await ask(view, "eve")).toContain("does not exist");
  });

  it("keeps nothing of a user whose conversations are erased, even if the erasure comes between", async () => {
    const backend = await started();
    const { ask, provider } = await client(backend);
    await ask(create("secret"));
    await provider.clearUserConversations("ada");
    expect(await ask(view)).toContain("does not exist");

    await ask(create("secret"));
    const late = await client(backend, (store) => ({
      ...store,
      storeMessages: async (...write) => {
        await store.clearUserConversations("ada");
        return store.storeMessages(...write);
      },
    }));
    await expect(late.ask(insert("more"))).rejects.toThrow("the memory was erased during the call");
    expect(await ask(view)).toContain("does not exist");
  });
});
