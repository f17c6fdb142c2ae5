import { createScriptedModel } from "@jaf/core/testing";
import { describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

const asking = [{ toolCalls: [{ name: "remove", arguments: { what: "all" } }] }];

/** Ids of a user's data. */
interface Ids {
  readonly conversationId: string;
  readonly turnId: string;
  readonly factId: string;
  readonly toolCallId: string;
  readonly approvalId: string;
}

const nowhere: Ids = {
  conversationId: "00000000-0000-4000-8000-000000000000",
  turnId: "00000000-0000-4000-8000-000000000001",
  factId: "00000000-0000-4000-8000-000000000002",
  toolCallId: "call_99",
  approvalId: "approval-99",
};

async function haveOne({ ask, userMemory }: TestServer, userId: string): Promise<Ids> {
  const { data } = (await ask(userId, "POST", "/chat", { message: `Remove all of ${userId}'s.` })).body;
  const { toolCallId, approvalId } = data.interruptions[0];
  const fact = await userMemory.remember(userId, `The secret of ${userId} is blue.`, { trust: "external" });
  return {
    conversationId: data.conversationId,
    turnId: data.turnId,
    factId: fact.id,
    toolCallId,
    approvalId,
  };
}

type Call = readonly [method: string, path: string, body?: unknown];

/** Returns each route with an id, once for each of its ids from `other`. Its second id, if any, is the user's own. */
const calls = (other: Ids, own: Ids): readonly Call[] => {
  const theirs = `/conversations/${other.conversationId}`;
  const mine = `/conversations/${own.conversationId}`;
  const { toolCallId, approvalId, conversationId } = other;
  const approvals = [{ toolCallId, approvalId, approved: true }];
  return [
    ["POST", "/chat", { conversationId, message: "Hi" }],
    ["POST", "/chat", { conversationId }],
    ["POST", "/chat", { conversationId, message: "Hi", stream: true }],
    ["POST", "/chat", { conversationId, approvals }],
    ["POST", "/chat", { conversationId: own.conversationId, approvals }],
    ["POST", "/chat", { conversationId, toolResults: [{ toolCallId, result: "x" }] }],
    ["POST", "/chat", { conversationId, message: "Hi", history: [{ role: "user", content: "x" }] }],
    ["POST", "/chat", { conversationId, message: "Hi", historyToken: "x" }],
    ["POST", "/agents/assistant/chat", { conversationId, message: "Hi" }],
    ["GET", theirs],
    ["GET", `${theirs}?before=1&limit=1`],
    ["PATCH", theirs, { title: "Mine" }],
    ["DELETE", theirs],
    ["GET", `${theirs}/export`],
    ["POST", `${theirs}/copy`, { version: 1 }],
    ["POST", `${theirs}/edit`, { position: 0, version: 1, message: "Hi" }],
    ["POST", `${theirs}/regenerate`, { version: 1 }],
    ["POST", `${theirs}/regenerate`, { version: 1, position: 0 }],
    ["POST", `${theirs}/stop`, {}],
    ["POST", `${theirs}/stop`, { turnId: other.turnId }],
    ["POST", `${mine}/stop`, { turnId: other.turnId }],
    ["GET", `${theirs}/events`],
    ["GET", `${theirs}/events?turnId=${other.turnId}`],
    ["GET", `${mine}/events?turnId=${other.turnId}`],
    ["GET", `${theirs}/turns`],
    ["GET", `${theirs}/timers`],
    ["GET", `/messages/search?query=Remove&conversationId=${other.conversationId}`],
    ["PUT", `${theirs}/timers/t`, { message: "Hi", cron: "@daily" }],
    ["DELETE", `${theirs}/timers/t`],
    ["GET", `/facts/${other.factId}`],
    ["GET", `/facts/${other.factId}?query=blue`],
    ["DELETE", `/facts/${other.factId}`],
    ["POST", `/facts/${other.factId}/review`, { decision: "approve" }],
    ["POST", `/facts/${other.factId}/review`, { decision: "reject" }],
  ];
};

/** Returns all data that a user can read. */
async function everythingOf({ ask }: TestServer, userId: string, { conversationId }: Ids) {
  const paths = [
    "/conversations",
    `/conversations/${conversationId}`,
    `/conversations/${conversationId}/export`,
    `/conversations/${conversationId}/events`,
    `/conversations/${conversationId}/turns`,
    "/approvals/pending",
    "/facts?status=quarantined",
    "/facts",
    "/memory/stats",
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await ask(userId, "GET", path);
    expect(status).toBe(200);
    answers.push(body);
  }
  return answers;
}

async function told({ send }: TestServer, [method, path, body]: Call, headers: Record<string, string> = {}) {
  const response = await send("eve", path, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = (await response.text()).replace(/"requestId":"[^"]+"/, "");
  const names = [...response.headers.keys()].filter((name) => name !== "content-length").sort();
  return { status: response.status, text, names };
}

describe("another user's ids", () => {
  it("are treated as unknown on every route and change nothing", async () => {
    const server = await startTestServer(
      createScriptedModel([...asking, ...asking, ...Array.from({ length: 200 }, () => "Hello.")]),
    );
    const ada = await haveOne(server, "ada");
    const eve = await haveOne(server, "eve");
    const before = await everythingOf(server, "ada", ada);
    const [theirs, none] = [calls(ada, eve), calls(nowhere, eve)];
    for (const [index, call] of theirs.entries()) {
      const given = none[index];
      if (given === undefined) throw new Error("the lists are of one length");
      const what = `${call[0]} ${call[1]} ${JSON.stringify(call[2])}`;
      const answer = await told(server, call);
      expect(answer, what).toEqual(await told(server, given));
      const isStopOfOwn = call[0] === "POST" && call[1] === `/conversations/${eve.conversationId}/stop`;
      if (isStopOfOwn) expect(answer.text).toContain('"stopping":false');
      else expect([404, 409], what).toContain(answer.status);
    }
    expect(await everythingOf(server, "ada", ada)).toEqual(before);
  });

  it("don't reveal whether a turn runs, and don't stop it", async () => {
    const { model, go } = createPausingModel(["One"], ["two"]);
    const server = await startTestServer(model);
    const started = await server.send("ada", "/chat", {
      ...{ method: "POST", headers: { accept: "text/event-stream" }, body: '{"message":"Count."}' },
    });
    const { conversations } = (await server.ask("ada", "GET", "/conversations")).body.data;
    const { conversationId, turn } = conversations[0];
    const ada = { ...nowhere, conversationId, turnId: turn.turnId };
    const stream = { accept: "text/event-stream" };
    for (const [index, call] of calls(ada, nowhere).entries()) {
      const given = calls(nowhere, nowhere)[index] ?? call;
      expect(await told(server, call, stream), call[1]).toEqual(await told(server, given, stream));
    }
    go();
    expect(await started.text()).toContain('"status":"completed"');
  });

  it("aren't in any list of another user", async () => {
    const server = await startTestServer(createScriptedModel(asking));
    await haveOne(server, "ada");
    for (const path of ["/conversations", "/approvals/pending", "/facts", "/facts?status=quarantined"]) {
      const { body } = await server.ask("eve", "GET", path);
      expect(Object.values(body.data).flat()).toEqual([]);
    }
    expect((await server.ask("eve", "DELETE", "/conversations")).body.data).toEqual({ deleted: 0 });
    expect((await server.ask("eve", "DELETE", "/facts")).body.data.facts).toBe(0);
    expect((await server.ask("ada", "GET", "/conversations")).body.data.conversations).toHaveLength(1);
    expect((await server.ask("ada", "GET", "/facts?status=quarantined")).body.data.facts).toHaveLength(1);
  });
});

describe("unknown and hostile ids", () => {
  const hostile: readonly (readonly [string, string])[] = [
    ["NUL", "%00"],
    ["NUL in a text", "a%00b"],
    ["half a character", "%ED%A0%80"],
    ["an invalid encoding", "%E0%A4%A"],
    ["300 characters", "x".repeat(300)],
    ["300 characters of three bytes", "%E2%82%AC".repeat(300)],
    ["..", "%2E%2E"],
    ["a path upwards", "..%2F..%2Fetc%2Fpasswd"],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["a wildcard", "*"],
    ["a pattern", "%25"],
    ["a hash tag of Redis", "%7Bx%7D:%7By%7D"],
    ["a quotation mark", "'%22;--"],
    ["a line break", "a%0D%0Ab"],
    ["an emoji", "%F0%9F%98%80"],
  ];

  it.each(hostile)("%s: aren't found and break nothing", async (_what, id) => {
    const errors: unknown[] = [];
    const server = await startTestServer(undefined, { onError: (error) => errors.push(error) });
    const own = (await server.ask("eve", "POST", "/chat", { message: "Hi" })).body.data;
    const ids = { conversationId: id, turnId: id, factId: id, toolCallId: id, approvalId: id };
    const routes = [...calls(ids, { ...nowhere, conversationId: own.conversationId })];
    // A body isn't URL-decoded, so the raw id is used.
    let decoded = id;
    try {
      decoded = decodeURIComponent(id);
    } catch {}
    const inBodies = calls({ ...ids, conversationId: decoded }, { ...nowhere, conversationId: decoded });
    const called = [
      ...routes.filter(([, path]) => path.includes(id)),
      ...inBodies.filter(([, path]) => path === "/chat"),
    ];
    // A URL with ".." is normalized to that of /chat.
    if (id !== "%2E%2E") called.push(["POST", `/agents/${id}/chat`, { message: "Hi" }]);
    for (const call of called) {
      const { status } = await told(server, call);
      expect([400, 404], `${call[0]} ${call[1]}`).toContain(status);
    }
    const halves = { conversationId: "\ud800", message: "Hi" };
    expect([400, 404]).toContain((await told(server, ["POST", "/chat", halves])).status);
    expect(errors).toEqual([]);
    expect((await server.ask("eve", "GET", "/conversations")).body.data.conversations).toHaveLength(1);
  });

  it("as user ids are kept apart, or are an error of authenticate", async () => {
    let userId = "";
    const server = await startTestServer(undefined, {
      authenticate: () => ({ userId }),
      onError: () => undefined,
    });
    for (const name of ["__proto__", "constructor", "*", "%", "{a}", "a:b", "\u{1f600}", "x".repeat(255)]) {
      userId = name;
      expect((await server.ask("", "GET", "/conversations")).body.data.conversations).toEqual([]);
      expect((await server.ask("", "GET", "/facts")).body.data.facts).toEqual([]);
      expect((await server.ask("", "POST", "/chat", { message: "Hi" })).status).toBe(200);
      expect((await server.ask("", "GET", "/conversations")).body.data.conversations).toHaveLength(1);
    }
    for (const name of ["\0", "\ud800", "x".repeat(256)]) {
      userId = name;
      expect((await server.ask("", "POST", "/chat", { message: "Hi" })).status).toBe(500);
      expect((await server.ask("", "GET", "/conversations")).status).toBe(500);
      expect((await server.ask("", "GET", "/facts")).status).toBe(500);
    }
  });
});
