import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { saying, startTestServer, type TestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

async function say({ ask }: TestServer, message: string, conversationId?: string) {
  const { body } = await ask("ada", "POST", "/chat", { message, conversationId });
  return body.data;
}

interface Shown {
  readonly position: number;
  readonly message: { readonly content: string };
}

describe("the list of conversations", () => {
  it("has pages, latest first, with each conversation once", async () => {
    const server = await startTestServer();
    const { provider, ask } = server;
    for (let n = 0; n < 70; n++)
      await provider.appendMessages(
        `c${n}`,
        [{ role: "user", content: `${n}` }],
        { userId: "ada", title: `Title ${n}` },
        { createIfMissing: true },
      );
    await provider.appendMessages("eves", [], { userId: "eve" }, { createIfMissing: true });
    const pages: { conversationId: string }[][] = [];
    let cursor = "";
    do {
      const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
      const { data } = (await ask("ada", "GET", `/conversations${query}`)).body;
      pages.push(data.conversations);
      cursor = data.nextCursor ?? "";
    } while (cursor !== "");
    expect(pages.map(({ length }) => length)).toEqual([30, 30, 10]);
    const ids = pages.flat().map(({ conversationId }) => conversationId);
    expect(new Set(ids).size).toBe(70);
    const { data } = (await ask("ada", "GET", "/conversations?limit=100")).body;
    expect(
      data.conversations.map(({ conversationId }: { conversationId: string }) => conversationId),
    ).toEqual(ids);
    const times = data.conversations.map(({ lastActivity }: { lastActivity: string }) => lastActivity);
    expect(times).toEqual([...times].sort().reverse());
    expect(
      data.conversations.find(({ conversationId }: { conversationId: string }) => conversationId === "c7"),
    ).toMatchObject({
      ...{ title: "Title 7", messages: 1, version: expect.any(Number) },
    });
  });

  it("searches 1,000 conversations for a page", async () => {
    const provider = createInMemoryProvider({ maxConversations: 2_000 });
    const { ask } = await startTestServer(saying("Hello."), { defaultMemoryProvider: provider });
    for (let n = 0; n < 1_002; n++) {
      const metadata = { userId: "ada", title: n === 0 ? "The oldest" : `Title ${n}` };
      await provider.appendMessages(`c${n}`, [], metadata, { createIfMissing: true });
    }
    const { data } = (await ask("ada", "GET", "/conversations?search=OLDEST")).body;
    expect(data).toEqual({ conversations: [], nextCursor: expect.any(String) });
    const rest = `/conversations?search=OLDEST&cursor=${encodeURIComponent(data.nextCursor)}`;
    const second = (await ask("ada", "GET", rest)).body.data;
    expect(second).toEqual({ conversations: [expect.objectContaining({ conversationId: "c0" })] });
  });

  it.each([
    "search=",
    `search=${"x".repeat(201)}`,
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=1.5",
    "cursor=",
    "cursor=nonsense",
    `cursor=${"x".repeat(2_000)}`,
  ])("refuses ?%s", async (query) => {
    const { ask } = await startTestServer();
    expect(await ask("ada", "GET", `/conversations?${query}`)).toMatchObject({
      ...{ status: 400, body: { error: { code: "invalid-request" } } },
    });
  });

  it("shows open turns on every page, even among many others", async () => {
    const { provider, turnLog, ask } = await startTestServer();
    for (let n = 0; n < 130; n++) {
      const turn = { conversationId: `c${n}`, turnId: `t${n}`, userId: "ada" };
      const metadata = { userId: "ada" };
      await provider.appendMessages(turn.conversationId, [{ role: "user", content: "Hi" }], metadata, {
        createIfMissing: true,
      });
      await turnLog.begin({ ...turn, request: "", leaseSeconds: 60, keepSeconds: 60 });
    }
    const shown: { conversationId: string; turn?: object }[] = [];
    let cursor = "";
    do {
      const { data } = (await ask("ada", "GET", `/conversations?limit=50${cursor}`)).body;
      shown.push(...data.conversations);
      cursor = data.nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(data.nextCursor)}`;
    } while (cursor !== "");
    expect(shown).toHaveLength(130);
    for (const { conversationId, turn } of shown)
      expect(turn).toEqual({ turnId: conversationId.replace("c", "t"), state: "running" });
  });

  it("shows a waiting turn", async () => {
    const server = await startTestServer();
    const { conversationId } = await say(server, "Hi");
    const { conversations } = (await server.ask("ada", "GET", "/conversations")).body.data;
    expect(conversations).toMatchObject([{ conversationId, title: "Hi", messages: 2 }]);
    expect(conversations[0].turn).toBeUndefined();
  });
});

describe("a conversation", () => {
  it("is read backwards in ranges without gaps", async () => {
    const server = await startTestServer(saying("Yes."));
    const { conversationId } = await say(server, "m0");
    for (let n = 1; n < 6; n++) await say(server, `m${n}`, conversationId);
    const all: Shown[] = [];
    let [before, earlier] = ["", true];
    while (earlier) {
      const { data } = (await server.ask("ada", "GET", `/conversations/${conversationId}?limit=5${before}`))
        .body;
      all.unshift(...data.messages);
      ({ earlier } = data);
      before = `&before=${data.messages[0].position}`;
    }
    expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect(all.filter((_, n) => n % 2 === 0).map(({ message }) => message.content)).toEqual(
      Array.from({ length: 6 }, (_, n) => `m${n}`),
    );
    const { data } = (await server.ask("ada", "GET", `/conversations/${conversationId}?before=0`)).body;
    expect(data).toMatchObject({ messages: [], earlier: false });
  });

  it("is renamed without another change", async () => {
    const server = await startTestServer();
    const { conversationId } = await say(server, "Hi");
    const path = `/conversations/${conversationId}`;
    const renamed = await server.ask("ada", "PATCH", path, { title: "  About greetings " });
    expect(renamed.body.data).toEqual({ title: "About greetings" });
    const { data } = (await server.ask("ada", "GET", path)).body;
    expect(data.title).toBe("About greetings");
    expect(data.messages).toHaveLength(2);
    for (const title of ["", "   ", 7, null, "x".repeat(201)])
      expect((await server.ask("ada", "PATCH", path, { title })).status).toBe(400);
    expect((await server.ask("ada", "PATCH", path, { title: "x", userId: "eve" })).status).toBe(400);
  });

  it("is renamed while a turn runs, which ends normally", async () => {
    const { model, go } = createPausingModel(["One "], ["two."]);
    const server = await startTestServer(model);
    const asked = say(server, "Count.");
    const list = async () => (await server.ask("ada", "GET", "/conversations")).body.data.conversations;
    await expect.poll(async () => (await list())[0]?.turn?.state).toBe("running");
    const [{ conversationId }] = await list();
    const path = `/conversations/${conversationId}`;
    expect((await server.ask("ada", "PATCH", path, { title: "Numbers" })).status).toBe(200);
    go();
    expect(await asked).toMatchObject({ status: "completed", text: "One two." });
    const { data } = (await server.ask("ada", "GET", path)).body;
    expect([data.title, data.messages.length]).toEqual(["Numbers", 2]);
  });

  it("is exported as a file with all of its messages", async () => {
    const server = await startTestServer();
    const { conversationId } = await say(server, "Hi");
    const response = await server.send("ada", `/conversations/${conversationId}/export`);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="conversation.json"');
    const record = await response.json();
    expect(record).toMatchObject({ conversationId, userId: "ada" });
    expect(JSON.stringify(record)).toContain("Hello.");
  });

  it("is copied as a whole or up to a user's message", async () => {
    const server = await startTestServer();
    const { conversationId } = await say(server, "One");
    const { version } = await say(server, "Two", conversationId);
    const path = `/conversations/${conversationId}`;
    const copy = async (body: object) => server.ask("ada", "POST", `${path}/copy`, body);
    const messages = async (id: string) => {
      const { data } = (await server.ask("ada", "GET", `/conversations/${id}`)).body;
      return [data.title, data.messages.map(({ message }: Shown) => message.content)];
    };
    const whole = (await copy({ version })).body.data.conversationId;
    expect(await messages(whole)).toEqual(["One", ["One", "Hello.", "Two", "Hello."]]);
    const half = (await copy({ version, upTo: 2, title: "Half" })).body.data.conversationId;
    expect(await messages(half)).toEqual(["Half", ["One", "Hello."]]);
    expect(await copy({ version, upTo: 1 })).toMatchObject({ status: 400 });
    expect(await copy({ version: version - 1 })).toMatchObject({
      status: 409,
      body: { error: { code: "changed" } },
    });
    await say(server, "Three", half);
    expect(await messages(conversationId)).toEqual(["One", ["One", "Hello.", "Two", "Hello."]]);
    // The copy has no turn yet.
    expect((await server.ask("ada", "GET", `/conversations/${whole}/events`)).status).toBe(404);
  });

  it("is deleted with the log of its turns", async () => {
    const server = await startTestServer();
    const { conversationId } = await say(server, "Hi");
    const kept = await say(server, "Stay");
    const path = `/conversations/${conversationId}`;
    expect((await server.ask("ada", "DELETE", path)).body.data).toEqual({ deleted: true });
    for (const rest of ["", "/events", "/turns", "/export"])
      expect((await server.ask("ada", "GET", `${path}${rest}`)).status).toBe(404);
    expect(await server.turnLog.turnsOf(conversationId)).toMatchObject({ data: [] });
    expect((await server.ask("ada", "DELETE", path)).status).toBe(404);
    expect((await server.ask("ada", "POST", "/chat", { conversationId, message: "Hi" })).status).toBe(404);
    expect((await server.ask("ada", "GET", `/conversations/${kept.conversationId}`)).status).toBe(200);
  });

  it("has a record of each turn with what the model saw", async () => {
    const server = await startTestServer();
    const first = await say(server, "One");
    const { conversationId } = first;
    const second = await say(server, "Two", conversationId);
    const { turns } = (await server.ask("ada", "GET", `/conversations/${conversationId}/turns`)).body.data;
    expect(turns).toMatchObject([
      { turnId: second.turnId, state: "ended", record: expect.any(Object) },
      { turnId: first.turnId, state: "ended", record: expect.any(Object) },
    ]);
    const limited = await server.ask("ada", "GET", `/conversations/${conversationId}/turns?limit=1`);
    expect(limited.body.data.turns).toHaveLength(1);
  });
});

describe("deleting all conversations", () => {
  it("leaves no conversation or turn log of the user, and keeps those of others", async () => {
    const server = await startTestServer();
    const turns = [await say(server, "One"), await say(server, "Two")];
    await server.ask("eve", "POST", "/chat", { message: "Mine" });
    expect((await server.ask("ada", "DELETE", "/conversations")).body.data).toEqual({ deleted: 2 });
    expect((await server.ask("ada", "GET", "/conversations")).body.data.conversations).toEqual([]);
    for (const { conversationId } of turns)
      expect(await server.turnLog.turnsOf(conversationId)).toMatchObject({ data: [] });
    expect((await server.ask("eve", "GET", "/conversations")).body.data.conversations).toHaveLength(1);
    expect((await server.ask("ada", "DELETE", "/conversations")).body.data).toEqual({ deleted: 0 });
  });
});
