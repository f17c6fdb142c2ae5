import type { ModelProvider } from "@jaf/core";
import type { TurnLog } from "@jaf/memory";
import type { Identity } from "@jaf/server";
import { describe, expect, it } from "vitest";
import {
  answer,
  around,
  createCountingModel,
  createHeldModel,
  lost,
  startServer,
  stateOf,
} from "./support/server/beginnings.ts";
import { openPostgres, openRedis } from "./support/server/stores.ts";

describe.each([
  { store: "Postgres", open: openPostgres },
  { store: "Redis", open: openRedis },
])("attack on a turn that begins with a write to $store", ({ open }) => {
  it("takes place if a wrapper passes on only the options that it knows", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const provider: typeof stores.provider = {
      ...stores.provider,
      appendMessages: (id, messages, metadata, options = {}) => {
        const { beginsTurn: _, ...known } = options;
        return stores.provider.appendMessages(id, messages, metadata, known);
      },
    };
    const { ask } = await startServer({ ...stores, provider, model });
    const { status, body } = await ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    const { conversationId, text } = answer.parse(body).data;
    expect(text).toBe("Good morning.");
    expect(calls()).toBe(1);
    expect(await stateOf(stores, conversationId)).toEqual({
      ...{ texts: ["Hello", "Good morning."], turns: ["ended"] },
    });
  });

  it("stores the request as a wrapper of the log encrypts it", async () => {
    const stores = await open();
    const { model, calls } = createHeldModel();
    const turnLog: TurnLog = {
      ...stores.turnLog,
      begin: (turn) =>
        stores.turnLog.begin({ ...turn, request: `sealed ${Buffer.from(turn.request).toString("base64")}` }),
    };
    const server = await startServer({ ...stores, turnLog, model });
    const created = await stores.provider.appendMessages(
      "c",
      [],
      { userId: "ada" },
      { createIfMissing: true },
    );
    expect(created.success).toBe(true);
    const asked = server.ask({ conversationId: "c", message: "a secret" });
    await expect.poll(calls).toBe(1);
    await server.app.close();
    await asked;
    const turns = await stores.turnLog.turnsOf("c");
    const turnId = turns.success ? (turns.data[0]?.turnId ?? "") : "";
    const taken = await stores.turnLog.takeOver({ conversationId: "c", turnId });
    expect(taken).toMatchObject({ success: true });
    const request = taken.success ? taken.data?.request : undefined;
    expect(request).not.toContain("a secret");
  });

  it("keeps the text of a stopped turn if the answer of the first write was lost", async () => {
    const stores = await open();
    let failures = 0;
    const provider = around(stores.provider, async (...given) => {
      failures += 1;
      await stores.provider.appendMessages(...given);
      return lost();
    });
    const model: ModelProvider<Identity> = {
      getCompletion: () => Promise.reject(new Error("This model only streams.")),
      getCompletionStream: async function* (_state, _agent, config) {
        yield { type: "text_delta", text: "Once upon a time" };
        await new Promise((_, reject) => {
          config.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        });
        yield { type: "done" };
      },
    };
    const { call, send } = await startServer({ ...stores, provider, model });
    await stores.provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
    const response = await send("POST", "/chat", { conversationId: "c", message: "Hello", stream: true });
    const read = response.text();
    await expect
      .poll(async () => JSON.stringify((await call("GET", "/conversations/c/events")).body))
      .toContain("Once upon");
    expect(await call("POST", "/conversations/c/stop", {})).toMatchObject({
      body: { data: { stopping: true } },
    });
    expect(await read).toContain('"stopped"');
    expect(failures).toBe(1);
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello", "Once upon a time"], turns: ["ended"] });
  });

  it("isn't stopped by another process whose log was out of reach when it got the same message", async () => {
    const stores = await open();
    const held = createHeldModel();
    const first = await startServer({ ...stores, model: held.model });
    let outOfReach = true;
    let stops = 0;
    let firstResponse: Response | undefined;
    const turnLog: TurnLog = {
      ...stores.turnLog,
      begin: async (turn) => {
        if (!outOfReach) return stores.turnLog.begin(turn);
        firstResponse = await first.submit();
        return lost();
      },
      read: async (query) => {
        if (firstResponse === undefined || !outOfReach) return stores.turnLog.read(query);
        outOfReach = false;
        return lost();
      },
      requestStop: (turn) => {
        stops += 1;
        return stores.turnLog.requestStop(turn);
      },
    };
    const provider = around(stores.provider, async () => lost());
    const second = await startServer({ ...stores, provider, turnLog, model: held.model });
    const response = await second.submit();
    expect(firstResponse?.status).toBe(200);
    held.go();
    expect(await firstResponse?.text()).toContain("Good morning.");
    expect(await response.text()).toContain("Good morning.");
    expect(stops).toBe(0);
    expect(held.calls()).toBe(1);
  });

  it("is refused if the conversation is deleted and created again before the first write", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const create = () =>
      stores.provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
    const provider = around(stores.provider, async (...given) => {
      await stores.provider.deleteConversation("c");
      await create();
      return stores.provider.appendMessages(...given);
    });
    const { ask } = await startServer({ ...stores, provider, model });
    await create();
    expect(await ask({ conversationId: "c" })).toMatchObject({
      status: 409,
      body: { error: { code: "changed" } },
    });
    expect(calls()).toBe(0);
    expect(await stateOf(stores, "c")).toEqual({ texts: [], turns: [] });
  });

  it("is answered if another process took it over and ended it before the lost answer was noticed", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const turns = { leaseSeconds: 1 };
    await startServer({ ...stores, model, turns: { ...turns, recoverMs: 50 } });
    const provider = around(stores.provider, async (...given) => {
      await stores.provider.appendMessages(...given);
      await expect.poll(async () => (await stateOf(stores, "c")).turns).toEqual(["ended"]);
      return lost();
    });
    const { ask } = await startServer({ ...stores, provider, model, turns });
    await stores.provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
    const { status, body } = await ask({ conversationId: "c" });
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello", "Good morning."], turns: ["ended"] });
    expect(calls()).toBe(1);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  it("calls the model once if another process took it over before the write was answered", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const turns = { leaseSeconds: 1 };
    await startServer({ ...stores, model, turns: { ...turns, recoverMs: 50 } });
    const provider = around(stores.provider, async (...given) => {
      const written = await stores.provider.appendMessages(...given);
      await expect.poll(async () => (await stateOf(stores, "c")).turns).toEqual(["ended"]);
      return written;
    });
    const { ask } = await startServer({ ...stores, provider, model, turns });
    await stores.provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
    const { status, body } = await ask({ conversationId: "c" });
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello", "Good morning."], turns: ["ended"] });
    expect(calls()).toBe(1);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  it("shows no turn of another user who had a conversation with the same id", async () => {
    const stores = await open();
    const { model } = createCountingModel();
    const { app, call } = await startServer({ ...stores, model });
    const start = async (userId: string, input: string) => {
      const started = await app.service.start({
        ...{ identity: { userId }, target: { newId: "lobby" }, agentName: "assistant", input },
      });
      if (!started.started) throw new Error(started.refusal.message);
      await started.ended;
    };
    await start("eve", "Eve's secret");
    // As if it had expired.
    await stores.provider.deleteConversation("lobby");
    const eves = await stores.turnLog.turnsOf("lobby");
    const turnId = eves.success ? (eves.data[0]?.turnId ?? "") : "";
    await stores.provider.appendMessages("lobby", [], { userId: "ada" }, { createIfMissing: true });
    expect((await call("GET", `/conversations/lobby/events?turnId=${turnId}`)).status).toBe(404);
    expect((await call("GET", "/conversations/lobby/turns")).body).toEqual({
      success: true,
      data: { turns: [] },
    });
  });
});
