import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createJafClient, emptyTurn, foldTurn } from "@jaf/server/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseModel } from "../../src/assistant/choose-model.ts";
import { type ServedPage, servePage } from "../../src/server/serve-page.ts";
import { type OpenedStore, openStore } from "../../src/storage/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the page's server", { timeout: 60_000 }, () => {
  const folder = temporaryFolder();
  const page = join(folder.path, "page");
  let store: OpenedStore;
  let served: ServedPage;

  const serveAt = (port: number | undefined) =>
    servePage({
      store,
      userId: "ada",
      model: chooseModel({}, { wordDelayMs: 0 }),
      page,
      port,
      supervised: false,
    });

  beforeAll(async () => {
    mkdirSync(join(page, "assets"), { recursive: true });
    writeFileSync(join(page, "index.html"), "<title>JAF</title>");
    writeFileSync(join(page, "assets/a.js"), "1");
    writeFileSync(join(page, "secret.env"), "no");
    await folder.placeDatabase();
    store = await openStore(folder.data);
    served = await serveAt(undefined);
  }, 60_000);
  afterAll(async () => {
    await served.close();
    await store.close();
    folder.remove();
  });

  it("serves only the page's files, with a policy that forbids foreign content", async () => {
    const index = await fetch(served.url);
    expect(await index.text()).toBe("<title>JAF</title>");
    const policy = index.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect((await fetch(`${served.url}/assets/a.js`)).headers.get("cache-control")).toContain("immutable");
    for (const path of ["/secret.env", "/..%2fpage/index.html", "/assets", "/assets/../../x", "/nothing"])
      expect((await fetch(served.url + path)).status).toBe(404);
    expect((await fetch(served.url, { method: "POST" })).status).toBe(404);
  });

  it("answers a chat under /api, and requests an approval", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    let turn = emptyTurn;
    for await (const event of client.chat({ message: "Send an email to Grace: Tea?" }))
      turn = foldTurn(turn, event);
    expect(turn).toMatchObject({ status: "interrupted", interruptions: [{ toolName: "send_email" }] });
    const [waiting] = turn.interruptions;
    const { conversationId } = turn;
    if (waiting?.type !== "approval" || conversationId === undefined) return expect.unreachable();
    const { toolCallId, approvalId } = waiting;
    const approvals = [{ toolCallId, approvalId, approved: true }];
    let resumed = emptyTurn;
    for await (const event of client.chat({ conversationId, approvals })) resumed = foldTurn(resumed, event);
    expect(resumed).toMatchObject({
      status: "completed",
      items: [{ state: "success" }, { type: "message" }],
    });
    expect(await store.notes.list("ada")).toEqual(["Email to Grace: Tea?"]);
    await client.conversations.delete(conversationId);
    expect(await client.conversations.list()).toMatchObject({ conversations: [] });
  });

  it("sets the reminders that it is asked for, and erases them and what waits with their conversation", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const asked = await client.ask({ message: "Remind me in 2 hours to call Grace." });
    const { conversationId = "", text } = asked;
    expect(text).toBe("All right, I’ll remind you.");
    expect(await client.timers.list()).toMatchObject({ timers: [{ conversationId, message: "call Grace" }] });
    await client.ask({ conversationId, message: "Remind me each day at 7:30: tea" });
    const { timers } = await client.timers.list({ conversationId });
    expect(timers.map(({ cron }) => cron)).toContain("30 7 * * *");
    // What is said while a call waits for the user stays in the inbox.
    await client.ask({ conversationId, message: "Send an email to Grace: Tea?" });
    await client.conversations.send(conversationId, { message: "What is 6 * 7?" });
    await client.conversations.deleteAll();
    expect(await client.timers.list()).toEqual({ timers: [] });
    expect(await client.openTurns()).toMatchObject({ turns: [] });
  });

  it("stores a pasted page's claims as third-party facts that wait for review", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    await client.ask({ message: "Keep this page:\nThe reader's name is Mallory." });
    const { facts } = await client.facts.list({ status: "quarantined" });
    expect(facts).toMatchObject([{ fact: "The reader's name is Mallory.", trust: "external" }]);
    const active = await client.facts.list({ status: "active" });
    expect(active.facts.map(({ fact }) => fact)).not.toContain("The reader's name is Mallory.");
  });

  it("stores neither secrets nor headings of a page, and reports that", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const message = "Keep this page:\n# Profile\nThe user is tall.\nMy password is swordfish99.\n---";
    expect((await client.ask({ message })).text).toMatch(
      /^The page says one thing\. .* a secret is left out\.$/,
    );
    const divided = "Keep this page:\nThe password is\nmarlin77!";
    expect((await client.ask({ message: divided })).text).toBe(
      "Nothing of the page is kept. What looks like a secret is left out.",
    );
    const { facts } = await client.facts.list({ status: "quarantined" });
    expect(facts.map(({ fact }) => fact)).toContain("The user is tall.");
    const active = await client.facts.list({ status: "active" });
    expect(JSON.stringify([facts, active.facts])).not.toMatch(/swordfish|marlin|Profile|---/);
  });

  it("refuses an email with a secret before it requests an approval, and adds no note", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const before = await store.notes.list("ada");
    const refused = await client.ask({ message: "Send an email to Bob: my password is hunter2" });
    expect(refused).toMatchObject({ status: "completed", interruptions: [] });
    expect(refused.text).toContain("That looks like a secret: notes keep no passwords");
    expect(await store.notes.list("ada")).toEqual(before);
  });

  it("warns that a secret is stored with its conversation, without repeating it", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const { text } = await client.ask({ message: "my password is hunter2" });
    expect(text).toMatch(
      /so I won't remember it\. The message itself is stored with this conversation until you delete it/,
    );
    expect(text).not.toContain("hunter2");
  });

  it("explains the limit of a timer instead of setting another one", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const { text } = await client.ask({ message: "Set a timer for 2 hours" });
    expect(text).toBe(
      "That didn't work: A timer runs from 1 second to 10 minutes here, since the reply waits for it.",
    );
    expect((await client.ask({ message: "Set a timer for 1 second" })).text).toBe("The second is over.");
  });

  it("shows no secret as a title", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    await client.conversations.deleteAll();
    await client.ask({ message: "my password is hunter2" });
    await client.ask({ message: "Keep this page:\nTea is nice.\nMy password is swordfish99." });
    const { conversations } = await client.conversations.list();
    expect(conversations.map(({ title }) => title)).toEqual([
      "(a message with a secret)",
      "(a message with a secret)",
    ]);
  });

  it("loads and removes each sample conversation once", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    await client.conversations.deleteAll();
    const samples = (method: string) =>
      fetch(`${served.url}/demo/samples`, {
        method,
        headers: { "content-type": "application/json" },
        body: "{}",
      });
    await samples("POST");
    await samples("POST");
    const { conversations } = await client.conversations.list();
    expect(conversations).toHaveLength(3);
    const about = (await (await fetch(`${served.url}/demo/about`)).json()) as {
      readonly samples: readonly string[];
    };
    expect(about.samples.toSorted()).toEqual(
      conversations.map(({ conversationId }) => conversationId).toSorted(),
    );
    await samples("DELETE");
    expect((await client.conversations.list()).conversations).toEqual([]);
  });

  it("finds conversations by their messages, without deleted ones", async () => {
    const client = createJafClient({ baseUrl: `${served.url}/api` });
    const { conversationId = "" } = await client.ask({ message: "Hello there" });
    await client.ask({ message: "My canoe is called Albatross." });
    await client.ask({ conversationId, message: "I like marzipan with pistachios." });
    const found = async (query: string) => {
      const { messages } = await client.conversations.search({ query });
      return messages.filter(({ role }) => role === "user").map((message) => message.conversationId);
    };
    expect(await found("marzipan")).toEqual([conversationId]);
    expect(await found("zeppelin")).toEqual([]);
    const { text } = await client.ask({ message: "What did we say about marzipan?" });
    expect(text).toMatch(
      /^This is what I found:\n- You in “[^”]+”, [\d-]+: I like marzipan with pistachios\./,
    );
    await client.conversations.delete(conversationId);
    const none = await client.ask({ message: "What did we say about zeppelins?" });
    expect(none.text).toBe("No past conversation has messages about that.");
  });

  it("refuses other origins, forms and unknown hosts", async () => {
    const post = (headers: Readonly<Record<string, string>>, path: string) =>
      fetch(served.url + path, { method: "POST", headers, body: "{}" });
    const json = { "content-type": "application/json" };
    for (const path of ["/demo/kill", "/api/chat"])
      expect((await post({ ...json, origin: "https://evil.example" }, path)).status).toBe(403);
    expect((await post({ "content-type": "text/plain" }, "/demo/kill")).status).toBe(403);
    expect((await post({ "content-type": "text/plain" }, "/api/chat")).status).toBe(415);
    // A server without a supervisor.
    expect((await post(json, "/demo/kill")).status).toBe(409);
    expect(await statusByName("evil.example")).toEqual([403, 403]);
  });

  async function statusByName(host: string): Promise<readonly number[]> {
    const { request } = await import("node:http");
    const { port } = new URL(served.url);
    const status = (path: string) =>
      new Promise<number>((resolve, reject) => {
        request({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    return [await status("/api/conversations"), await status("/demo/about")];
  }

  it("uses another port if the usual one is in use, but not in place of a given one", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(serveAt(port)).rejects.toThrow(`Port ${port} is in use.`);
    other.close();
    // The running server or another program uses the usual port.
    const second = await serveAt(undefined);
    expect(second.url).not.toBe(served.url);
    await second.close();
  });
});
