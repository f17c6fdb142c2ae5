import type { ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createMemoryConnectionError, type TurnBeginner } from "@jaf/memory/adapter";
import { canBegin, createFailure } from "@jaf/memory/internal";
import { createServerApp, type Identity } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { openPostgres, openRedis, type Stores } from "./support/server/stores.ts";

const answer = z.object({ data: z.object({ conversationId: z.string(), text: z.string() }) });

type Append = VersionedMemoryProvider["appendMessages"];

const scripted = () => createScriptedModel(Array.from({ length: 10 }, () => "Good morning."));

/** Starts a server. `around` is called in place of each write that begins a turn. */
async function startServer(
  { provider, turnLog }: Pick<Stores, "provider" | "turnLog">,
  around?: (append: Append) => Append,
  modelProvider: ModelProvider<Identity> = scripted(),
) {
  const appendMessages: Append = (id, messages, metadata, options) =>
    options?.beginsTurn === undefined || around === undefined
      ? provider.appendMessages(id, messages, metadata, options)
      : around(provider.appendMessages)(id, messages, metadata, options);
  // A copy of a provider begins no turns of its own accord.
  const beginner: TurnBeginner = { canBegin: (beginning) => canBegin(provider, beginning) };
  const app = await createServerApp(
    [{ name: "assistant", instructions: "Help." }],
    { modelProvider },
    {
      authenticate: () => ({ userId: "ada" }),
      ...{ defaultMemoryProvider: { ...provider, ...beginner, appendMessages }, turnLog },
      turns: { recoverMs: false },
    },
  );
  onTestFinished(async () => void (await app.close()));
  const post = (path: string, body: object) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  return {
    ask: async (body: object) => {
      const response = await post("/chat", { message: "Hello", ...body });
      return { status: response.status, body: (await response.json()) as unknown };
    },
    /** Sends a message as `useChat` does. The id of the message names the turn. Resolves when the reply begins. */
    submit: () =>
      post("/ai-sdk/chat", {
        ...{ id: "chat", trigger: "submit-message" },
        messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }],
      }),
  };
}

/** Returns a copy of a log that still begins turns with writes. */
function copyOf(log: TurnLog): TurnLog {
  const { beginning } = log;
  return { ...log, ...(beginning && { beginning: (turn) => beginning.call(log, turn) }) };
}

async function stateOf({ provider, turnLog }: Stores, conversationId: string) {
  const [read, turns] = await Promise.all([
    provider.readConversation(conversationId),
    turnLog.turnsOf(conversationId),
  ]);
  if (!read.success || !turns.success) throw new Error("The stores failed.");
  return {
    roles: read.data.conversation?.messages.map(({ role }) => role),
    turns: turns.data.map(({ state }) => state),
  };
}

/** Makes the first write that begins a turn fail, before or after it is made. */
function failingOnce(when: "before" | "after") {
  let failed = 0;
  const around =
    (append: Append): Append =>
    async (...given) => {
      failed += 1;
      const made = when === "after" ? await append(...given) : undefined;
      if (made?.success === false) throw new Error("The write was refused.");
      return createFailure(createMemoryConnectionError("store", "the connection broke", { retryable: true }));
    };
  return { around, failures: () => failed };
}

/** A model that replies when `go` is called. */
function createHeldModel() {
  let go: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const provider: ModelProvider<Identity> = {
    getCompletion: async () => {
      await gate;
      return { message: { content: "Good morning." } };
    },
  };
  return { provider, go: () => go() };
}

describe.each([
  { store: "Postgres", open: openPostgres },
  { store: "Redis", open: openRedis },
])("a turn that begins with a write to $store", ({ open }) => {
  it.each(["before", "after"] as const)("takes place once if the write fails %s it is made", async (when) => {
    const stores = await open();
    const { around, failures } = failingOnce(when);
    const { ask } = await startServer(stores, around);
    const { status, body } = await ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    expect(failures()).toBe(1);
    const { conversationId, text } = answer.parse(body).data;
    expect(text).toBe("Good morning.");
    expect(await stateOf(stores, conversationId)).toEqual({ roles: ["user", "assistant"], turns: ["ended"] });
  });

  it("takes place once if the log doesn't answer either at first", async () => {
    const stores = await open();
    let unanswered = 3;
    const turnLog: TurnLog = {
      ...copyOf(stores.turnLog),
      renew: async (writer) =>
        unanswered-- > 0
          ? createFailure(createMemoryConnectionError("log", "the connection broke", { retryable: true }))
          : stores.turnLog.renew(writer),
    };
    const { ask } = await startServer({ ...stores, turnLog }, failingOnce("after").around);
    const { status, body } = await ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    const { conversationId } = answer.parse(body).data;
    expect(await stateOf(stores, conversationId)).toEqual({ roles: ["user", "assistant"], turns: ["ended"] });
  });

  it("takes place once if the write reaches the store after the log was asked for it", async () => {
    const stores = await open();
    let arrive = async (): Promise<unknown> => undefined;
    const turnLog: TurnLog = {
      ...copyOf(stores.turnLog),
      renew: async (writer) => {
        const held = await stores.turnLog.renew(writer);
        await arrive();
        arrive = async () => undefined;
        return held;
      },
    };
    const { ask } = await startServer({ ...stores, turnLog }, (append) => async (...given) => {
      arrive = () => append(...given);
      return createFailure(createMemoryConnectionError("store", "the connection broke", { retryable: true }));
    });
    const { status, body } = await ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    const { conversationId, text } = answer.parse(body).data;
    expect(text).toBe("Good morning.");
    expect(await stateOf(stores, conversationId)).toEqual({ roles: ["user", "assistant"], turns: ["ended"] });
  });

  it("isn't stopped by a process that gets the same message", async () => {
    const stores = await open();
    const model = createHeldModel();
    const first = await startServer(stores, undefined, model.provider);
    let stops = 0;
    const turnLog: TurnLog = {
      ...copyOf(stores.turnLog),
      requestStop: (turn) => {
        stops += 1;
        return stores.turnLog.requestStop(turn);
      },
    };
    const second = await startServer({ ...stores, turnLog }, (append) => async (...given) => {
      await first.submit();
      return append(...given);
    });
    const response = await second.submit();
    expect(response.status).toBe(200);
    model.go();
    expect(await response.text()).toContain("Good morning.");
    expect(stops).toBe(0);
    const found = await stores.provider.findConversations({ userId: "ada", includeMessages: false });
    const [conversation] = found.success ? found.data : [];
    expect(await stateOf(stores, conversation?.conversationId ?? "")).toEqual({
      ...{ roles: ["user", "assistant"], turns: ["ended"] },
    });
  });

  it("is refused with the running turn's id, and stores nothing", async () => {
    const stores = await open();
    const { ask } = await startServer(stores);
    const { conversationId } = answer.parse((await ask({})).body).data;
    const running = await stores.turnLog.begin({
      ...{ conversationId, userId: "ada", turnId: "running", request: "{}" },
      ...{ leaseSeconds: 600, keepSeconds: 600 },
    });
    expect(running).toMatchObject({ data: { begun: true } });
    const before = await stateOf(stores, conversationId);
    expect(await ask({ conversationId })).toMatchObject({
      status: 409,
      body: { error: { code: "running", turnId: "running" } },
    });
    expect(await stateOf(stores, conversationId)).toEqual(before);
  });

  it("begins after the messages that another process adds once the conversation was loaded", async () => {
    const stores = await open();
    let conversationId = "";
    const { ask } = await startServer(stores, (append) => async (...given) => {
      if (conversationId !== "")
        await stores.provider.appendMessages(conversationId, [{ role: "user", content: "Meanwhile" }]);
      return append(...given);
    });
    conversationId = answer.parse((await ask({})).body).data.conversationId;
    expect(await ask({ conversationId })).toMatchObject({ status: 200 });
    expect(await stateOf(stores, conversationId)).toEqual({
      roles: ["user", "assistant", "user", "user", "assistant"],
      turns: ["ended", "ended"],
    });
  });
});
