import { createScriptedModel } from "@jaf/core/testing";
import type { VersionedMemoryProvider } from "@jaf/memory";
import { withFallback, withRetry } from "@jaf/memory";
import type { TurnBeginner, TurnBeginning } from "@jaf/memory/adapter";
import { canBegin } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import {
  type Append,
  answer,
  around,
  createCountingModel,
  createHeldModel,
  lost,
  startServer,
  stateOf,
} from "../support/server/beginnings.ts";
import { openPostgres, openRedis, type Stores } from "../support/server/stores.ts";

const create = async ({ provider }: Pick<Stores, "provider">, userId = "ada") => {
  const made = await provider.appendMessages("c", [], { userId }, { createIfMissing: true });
  if (!made.success) throw new Error(made.error.message);
};

const ONCE = { texts: ["Hello", "Good morning."], turns: ["ended"] };

describe.each([
  { store: "Postgres", open: openPostgres, other: openRedis },
  { store: "Redis", open: openRedis, other: openPostgres },
])("attack on the order of events with $store", ({ open, other }) => {
  /** A provider whose first write that begins a turn is made, and its answer is lost. */
  const losing = (provider: VersionedMemoryProvider): VersionedMemoryProvider => {
    let left = 1;
    return around(provider, async (...given) => {
      const made = await provider.appendMessages(...given);
      left -= 1;
      return left >= 0 ? lost() : made;
    });
  };

  it.each([
    ["withRetry", (p: VersionedMemoryProvider) => withRetry(p)],
    ["withRetry around a lost answer", (p: VersionedMemoryProvider) => withRetry(losing(p))],
    ["a lost answer around withRetry", (p: VersionedMemoryProvider) => losing(withRetry(p))],
    ["withFallback", (p: VersionedMemoryProvider) => withFallback(p, p)],
    [
      "withFallback around a lost answer",
      (p: VersionedMemoryProvider) => withFallback(losing(p), p, { cooldownMs: 0 }),
    ],
    ["a transparent Proxy", (p: VersionedMemoryProvider) => new Proxy(p, {})],
    [
      "a Proxy that clones options",
      (p: VersionedMemoryProvider) =>
        ({
          ...p,
          canBegin: (beginning: TurnBeginning) => canBegin(p, beginning),
          appendMessages: ((id, messages, metadata, { signal: _, ...options } = {}) =>
            p.appendMessages(id, messages, metadata, structuredClone(options))) as Append,
        }) satisfies VersionedMemoryProvider & TurnBeginner,
    ],
    [
      "a wrapper without canBegin",
      (p: VersionedMemoryProvider) => {
        const { canBegin: _, ...rest } = p as VersionedMemoryProvider & { canBegin?: unknown };
        return rest;
      },
    ],
    [
      "a wrapper that hides receipts",
      (p: VersionedMemoryProvider) => ({
        ...p,
        canBegin: (beginning: TurnBeginning) => canBegin(p, beginning),
        appendMessages: (async (...given) => {
          const { success, ...rest } = await p.appendMessages(...given);
          return success ? { success: true, data: undefined } : { success, ...rest };
        }) as Append,
      }),
    ],
    [
      "a wrapper that throws after the write",
      (p: VersionedMemoryProvider) => {
        let left = 1;
        return around(p, async (...given) => {
          const made = await p.appendMessages(...given);
          if (left-- > 0) throw new Error("bug");
          return made;
        });
      },
    ],
  ] as const)("takes place once with %s", async (_, wrap) => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const server = await startServer({ ...stores, provider: wrap(stores.provider), model });
    for (const times of [1, 2]) {
      const { status, body } = await server.ask(times === 1 ? {} : { conversationId: "c" });
      if (times === 1) {
        expect(status, JSON.stringify(body)).toBe(200);
        expect(await stateOf(stores, answer.parse(body).data.conversationId)).toEqual(ONCE);
        await create(stores);
      } else {
        expect(status, JSON.stringify(body)).toBe(200);
        expect(await stateOf(stores, "c")).toEqual(ONCE);
      }
    }
    expect(calls()).toBe(2);
  });

  it.each(["step", "turn", "completed"] as const)(
    "takes place once with durability %s",
    async (durability) => {
      const stores = await open();
      const { model, calls } = createCountingModel();
      const server = await startServer({ ...stores, provider: losing(stores.provider), model, durability });
      const { status, body } = await server.ask({});
      expect(status, JSON.stringify(body)).toBe(200);
      expect(await stateOf(stores, answer.parse(body).data.conversationId)).toEqual(ONCE);
      expect(calls()).toBe(1);
    },
  );

  it("takes place once with the log in another database", async () => {
    const stores = await open();
    const { turnLog } = await other();
    const { model, calls } = createCountingModel();
    const server = await startServer({ ...stores, turnLog, model });
    const { status, body } = await server.ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await stateOf({ ...stores, turnLog }, answer.parse(body).data.conversationId)).toEqual(ONCE);
    expect(calls()).toBe(1);
  });

  it("takes place once with the log of another schema or prefix on another client", async () => {
    const stores = await open();
    const { turnLog } = await open();
    const { model, calls } = createCountingModel();
    const server = await startServer({ ...stores, turnLog, model });
    const { body } = await server.ask({});
    expect(await stateOf({ ...stores, turnLog }, answer.parse(body).data.conversationId)).toEqual(ONCE);
    expect(calls()).toBe(1);
  });

  it.each(["step", "turn", "completed"] as const)(
    "changes nothing in another user's conversation with durability %s",
    async (durability) => {
      const stores = await open();
      const { model, calls } = createCountingModel();
      const server = await startServer({ ...stores, model, durability });
      await create(stores, "eve");
      await stores.provider.appendMessages("c", [{ role: "user", content: "Eve's" }]);
      const before = await stores.provider.exportConversation("c");
      for (const body of [
        {},
        { stream: true },
        {
          history: [
            { role: "user", content: "Eve's" },
            { role: "user", content: "x" },
          ],
          message: undefined,
        },
        { historyToken: "x" },
        { message: undefined },
        { message: undefined, approvals: [{ toolCallId: "a", approvalId: "b", approved: true }] },
        { message: undefined, toolResults: [{ toolCallId: "a", result: "b" }] },
      ]) {
        const foreign = await server.ask({ ...body, conversationId: "c" });
        const missing = await server.ask({ ...body, conversationId: "missing" });
        const plain = ({ status, body: given }: typeof foreign) =>
          JSON.stringify([status, given]).replaceAll(/"requestId":"[^"]+"/g, "");
        expect(plain(foreign)).toBe(plain(missing));
        expect(foreign.status, JSON.stringify(foreign)).toBe(404);
      }
      for (const [method, path, body] of [
        ["POST", "/conversations/c/edit", { position: 0, version: 2, message: "x" }],
        ["POST", "/conversations/c/regenerate", { position: 0, version: 2 }],
        ["POST", "/conversations/c/stop", {}],
        ["GET", "/conversations/c/events", undefined],
        ["GET", "/conversations/c/turns", undefined],
        ["GET", "/conversations/c", undefined],
        ["GET", "/conversations/c/export", undefined],
        ["PATCH", "/conversations/c", { title: "x" }],
        ["DELETE", "/conversations/c", undefined],
        ["POST", "/conversations/c/copy", { version: 2 }],
      ] as const)
        expect([path, (await server.call(method, path, body)).status]).toEqual([path, 404]);
      const after = await stores.provider.exportConversation("c");
      expect(after).toEqual(before);
      expect((await stateOf(stores, "c")).turns).toEqual([]);
      expect(calls()).toBe(0);
    },
  );

  it("refuses hostile ids without a fault", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const server = await startServer({ ...stores, model });
    for (const conversationId of [
      "__proto__",
      "../x",
      "a".repeat(256),
      "\u0000",
      "\ud800",
      "c\nd",
      " ",
      "{c}",
      "🦊",
    ]) {
      const { status } = await server.ask({ conversationId });
      expect([conversationId, status < 500 && status >= 400]).toEqual([conversationId, true]);
    }
    expect(calls()).toBe(0);
  });

  it("ends once if it is stopped while the first write is answered", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let stopped: unknown;
    const provider = around(stores.provider, async (...given) => {
      const made = await stores.provider.appendMessages(...given);
      stopped = (await server.call("POST", "/conversations/c/stop", {})).body;
      return made;
    });
    const server = await startServer({ ...stores, provider, model });
    await create(stores);
    const { status, body } = await server.ask({ conversationId: "c" });
    expect(stopped).toMatchObject({ data: { stopping: true } });
    expect(status).toBe(200);
    expect(answer.parse(body).data.status).toBe("stopped");
    expect(calls()).toBe(0);
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello"], turns: ["ended"] });
  });

  it.each(["made", "lost"] as const)(
    "goes on elsewhere if the server closes while the first write is %s",
    async (how) => {
      const stores = await open();
      const { model, calls } = createCountingModel();
      let closing: Promise<unknown> | undefined;
      const provider = around(stores.provider, async (...given) => {
        const made = await stores.provider.appendMessages(...given);
        closing = first.app.close();
        return how === "made" ? made : lost();
      });
      const first = await startServer({ ...stores, provider, model });
      await create(stores);
      await first.send("POST", "/chat", { conversationId: "c", message: "Hello" });
      await closing;
      await startServer({ ...stores, model, turns: { recoverMs: 50 } });
      await expect.poll(() => stateOf(stores, "c")).toEqual(ONCE);
      expect(calls()).toBe(1);
    },
  );

  it("stores nothing if the server closes before the first write", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const provider = around(stores.provider, async () => {
      void server.app.close();
      return lost();
    });
    const server = await startServer({ ...stores, provider, model });
    await create(stores);
    expect((await server.ask({ conversationId: "c" })).status).toBe(503);
    expect(await stateOf(stores, "c")).toEqual({ texts: [], turns: [] });
    expect(calls()).toBe(0);
  });

  it.each(["conversation", "user", "log"] as const)(
    "leaves nothing if the %s is erased around the first write",
    async (what) => {
      for (const when of ["before", "after"] as const) {
        const stores = await open();
        const { model, calls } = createCountingModel();
        const erase = async () => {
          if (what === "conversation") await server.call("DELETE", "/conversations/c");
          else if (what === "user") await server.call("DELETE", "/conversations");
          else await stores.turnLog.deleteConversation("c");
        };
        const provider = around(stores.provider, async (...given) => {
          if (when === "before") await erase();
          const made = await stores.provider.appendMessages(...given);
          if (when === "after") await erase();
          return made;
        });
        const server = await startServer({ ...stores, provider, model });
        await create(stores);
        const { status, body } = await server.ask({ conversationId: "c" });
        if (what !== "log") {
          expect(await stateOf(stores, "c"), JSON.stringify([when, status, body])).toEqual({
            texts: undefined,
            turns: [],
          });
          if (when === "before") expect([status, calls()]).toEqual([404, 0]);
        } else if (when === "before") expect(await stateOf(stores, "c")).toEqual(ONCE);
        expect(calls()).toBeLessThanOrEqual(1);
      }
    },
  );

  it("runs an approved tool once if two servers get the approval", async () => {
    const stores = await open();
    let tools = 0;
    const onTool = () => {
      tools += 1;
    };
    const model = () =>
      createScriptedModel([{ toolCalls: [{ name: "mail", arguments: {} }] }, "Done.", "Done again."]);
    const first = await startServer({ ...stores, model: model(), onTool });
    await create(stores);
    const asked = await first.ask({ conversationId: "c" });
    const [interruption] = (
      asked.body as {
        data: { interruptions: { approvalId: string; toolCall?: { id: string }; toolCallId?: string }[] };
      }
    ).data.interruptions;
    const approval = {
      ...{
        toolCallId: interruption?.toolCallId ?? interruption?.toolCall?.id,
        approvalId: interruption?.approvalId,
        approved: true,
      },
    };
    const scripted = createScriptedModel(["Sent."]);
    const approve = (server: typeof first) =>
      server.call("POST", "/chat", { conversationId: "c", approvals: [approval] });
    let other: Promise<{ status: number; body: unknown }> | undefined;
    const third = await startServer({ ...stores, model: scripted, onTool });
    const provider = around(stores.provider, async (...given) => {
      other = approve(third);
      await other;
      return stores.provider.appendMessages(...given);
    });
    const second = await startServer({ ...stores, provider, model: scripted, onTool });
    const late = await approve(second);
    expect((await other)?.status, JSON.stringify([asked.body, await other])).toBe(200);
    expect(late.status, JSON.stringify(late.body)).toBe(409);
    expect(tools).toBe(1);
    expect(scripted.requests).toHaveLength(1);
  });

  it("begins one of ten messages that several servers get at once", async () => {
    const stores = await open();
    const held = createHeldModel();
    const servers = await Promise.all([1, 2, 3].map(() => startServer({ ...stores, model: held.model })));
    await create(stores);
    const asked = Array.from({ length: 10 }, (_, at) => servers[at % 3]?.ask({ conversationId: "c" }));
    await expect.poll(held.calls).toBe(1);
    let refused = 0;
    for (const one of asked) void one?.then(({ status }) => (refused += status === 409 ? 1 : 0));
    await expect.poll(() => refused).toBe(9);
    held.go();
    const statuses = await Promise.all(asked.map(async (one) => (await one)?.status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await stateOf(stores, "c")).toEqual(ONCE);
  });

  it("joins a named turn that ten requests to three servers begin", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const servers = await Promise.all([1, 2, 3].map(() => startServer({ ...stores, model })));
    const responses = await Promise.all(Array.from({ length: 10 }, (_, at) => servers[at % 3]?.submit()));
    for (const response of responses) expect(await response?.text()).toContain("Good morning.");
    expect(calls()).toBe(1);
    const found = await stores.provider.findConversations({ userId: "ada" });
    expect(found.success && found.data.map(({ messages }) => messages.length)).toEqual([2]);
  });
});
