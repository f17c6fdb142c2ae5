import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { loadUIMessages, storeUIMessages, threadsOf } from "@jaf/ai-sdk/memory";
import type { UIMessage } from "ai";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { bundleProcess } from "../../test/process-bundle.ts";
import { openStores, type Task } from "./support/ai-sdk-memory/task.ts";
import { dropSharedStore } from "./support/programs/shared-store.ts";

interface App {
  readonly child: ChildProcess;
  /** Resolves with the next line that the process prints. */
  readonly next: () => Promise<unknown>;
  readonly ended: Promise<unknown>;
}

async function start(task: Task): Promise<App> {
  const file = await bundleProcess(new URL("support/ai-sdk-memory/app.ts", import.meta.url));
  const child = fork(file, [JSON.stringify(task)], {
    execArgv: [],
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill());
  const ended = once(child, "exit").then(([code]) => expect(code).toBe(0));
  const printed = createInterface(child.stdout ?? new PassThrough())[Symbol.asyncIterator]();
  return { child, ended, next: async () => JSON.parse(String((await printed.next()).value)) };
}

describe.each(["redis", "postgres"] as const)("an application of the AI SDK on %s", (backend) => {
  async function setup() {
    const namespace = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    const url = inject(backend === "redis" ? "redisUrl" : "pgUrl");
    const base = { backend, url, namespace, conversationId: crypto.randomUUID(), userId: "ann", text: "" };
    const stores = await openStores({ ...base, kind: "turn" });
    onTestFinished(async () => {
      await stores.close();
      await dropSharedStore({ backend, urls: [url], namespace });
    });
    const { conversationId, userId } = base;
    const chat = { provider: stores.provider, conversationId, userId };
    const startApp = (kind: Task["kind"], text = "") => start({ ...base, kind, text });
    return { ...stores, chat, startApp };
  }
  const textsOf = (messages: readonly UIMessage[]) =>
    messages.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? part.text : [])).join());

  it("goes on after a restart, and a second process resumes and stops its stream", async () => {
    const { chat, provider, startApp } = await setup();
    await (await startApp("turn", "first")).ended;
    await (await startApp("turn", "second")).ended;
    const slow = await startApp("slow", "third");
    expect(await slow.next()).toBe("answering");
    const other = await startApp("stop");
    expect(await other.next()).toContain("data: ");
    expect(await other.next()).toBe(true);
    expect(await slow.next()).toContain('"type":"abort"');
    await Promise.all([slow.ended, other.ended]);
    const stored = await loadUIMessages<UIMessage>(chat);
    expect(textsOf(stored)).toEqual(["first", "Read 1", "second", "Read 3", "third", "Read 5"]);
    expect((await threadsOf({ provider, userId: "ann" })).threads).toMatchObject([{ messages: 6 }]);
  });

  it("doesn't bring an erased user back by a reply that another process saves late", async () => {
    const { provider, chat, startApp } = await setup();
    const late = await startApp("late", "forget me");
    expect(await late.next()).toBe("waiting");
    await provider.clearUserConversations(chat.userId);
    late.child.stdin?.write("go\n");
    expect([await late.next(), await late.next()]).toEqual(["incarnation", 0]);
    await late.ended;
    expect(await loadUIMessages(chat)).toEqual([]);
  });

  it("loses no message of 2 × 20 writers in two processes, and none overwrites another's change unseen", async () => {
    const { chat, startApp } = await setup();
    const appending = await Promise.all(["a", "b"].map((text) => startApp("append", text)));
    const appended = await Promise.all(appending.map(({ next }) => next()));
    expect(appended.flat()).toEqual(Array.from({ length: 40 }, () => "stored"));
    const messages = await loadUIMessages<UIMessage>(chat);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(40);
    expect(messages).toHaveLength(40);

    await storeUIMessages(chat, [{ id: "shared", role: "assistant", parts: [{ type: "text", text: "" }] }]);
    const replacing = await Promise.all(["a", "b"].map((text) => startApp("replace", text)));
    const outcomes = (await Promise.all(replacing.map(({ next }) => next()))).flat();
    expect(outcomes).toHaveLength(40);
    expect(outcomes.every((outcome) => outcome === "stored" || outcome === "version")).toBe(true);
    expect(outcomes).toContain("version");
    const after = await loadUIMessages<UIMessage>(chat);
    expect(after.slice(0, -1)).toEqual(messages);
    expect(textsOf(after).at(-1)).toMatch(/^[ab]-\d+$/);
    await Promise.all([...appending, ...replacing].map(({ ended }) => ended));
  });
});
