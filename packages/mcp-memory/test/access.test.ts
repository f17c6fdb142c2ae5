import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTokens } from "../src/http/tokens.ts";
import { call, connectHttp, idsIn } from "./support/clients.ts";
import { startHttp } from "./support/http-server.ts";

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

const post = (url: string, headers: Readonly<Record<string, string>>, body = INITIALIZE) =>
  fetch(url, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...headers,
    },
    body,
  });

describe("a request over HTTP", () => {
  it("needs a token of a user", async () => {
    const { url } = await startHttp();
    const tokens = ["", "Bearer", "Bearer wrong", "Basic token-of-ada", "Bearer token-of-ada,token-of-bob"];
    for (const authorization of tokens) {
      const response = await post(url, authorization === "" ? {} : { authorization });
      expect(response.status, authorization).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
    expect((await post(url, { authorization: "Bearer token-of-ada" })).status).toBe(200);
  });

  it("may not come from a page of another site, nor name another host", async () => {
    const { url } = await startHttp();
    const authorization = "Bearer token-of-ada";
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"])
      expect((await post(url, { authorization, origin })).status, origin).toBe(403);
    expect((await post(url, { authorization, origin: "http://localhost:8080" })).status).toBe(200);
    expect(await statusForHost(url, "evil.example", authorization)).toBe(403);
  });

  it("is refused if it is too large, before it is read as JSON", async () => {
    const { url } = await startHttp();
    const authorization = "Bearer token-of-ada";
    expect((await post(url, { authorization }, "x".repeat(300_000))).status).toBe(413);
    const endless = await fetch(url, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", accept: "application/json" },
      body: new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
      duplex: "half",
    } as RequestInit).then(
      ({ status }) => status,
      () => 413, // The server closed the connection while the body was being sent.
    );
    expect(endless).toBe(413);
  });

  it("finds nothing beside the path", async () => {
    const { url } = await startHttp();
    expect((await post(`${url}/../other`, { authorization: "Bearer token-of-ada" })).status).toBe(404);
  });
});

/** `fetch` sets the header `Host` by itself. */
async function statusForHost(url: string, host: string, authorization: string): Promise<number | undefined> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: "POST", headers: { host, authorization, "content-type": "application/json" } },
      (response) => resolve(response.resume().statusCode),
    );
    sent.once("error", reject).end(INITIALIZE);
  });
}

describe("the facts of another user", () => {
  it("are reached by no tool, with any id, on any way", async () => {
    const { url, stores } = await startHttp();
    const { memory } = stores;
    const active = await memory.remember("ada", "Has a secret garden in Oslo");
    const waiting = await memory.remember("ada", "Hides a secret key in Oslo", { trust: "external" });
    const bob = await connectHttp(url, { token: "token-of-bob", elicit: () => "yes" });
    const unknown = await call(bob, "why", { id: "no-such-fact" });
    for (const { id } of [active, waiting]) {
      expect(await call(bob, "why", { id })).toEqual(unknown);
      expect(await call(bob, "why", { id, query: "secret" })).toEqual(unknown);
      expect(await call(bob, "forget", { id })).toEqual(unknown);
      expect(await call(bob, "review", { id, decision: "confirm" })).toEqual(unknown);
      expect(await call(bob, "review", { id, decision: "reject" })).toEqual(unknown);
    }
    expect((await call(bob, "recall", { query: "secret garden in Oslo" })).data).toEqual({ facts: [] });
    expect((await call(bob, "list")).data).toEqual({ facts: [], hasMore: false });
    expect((await call(bob, "review")).data).toEqual({ waiting: [] });
    for (const extra of [{ user: "ada" }, { userId: "ada" }, { id: active.id, userId: "ada" }])
      expect((await call(bob, "list", extra)).isError).toBe(true);
    await call(bob, "remember", { fact: "Has a secret garden in Oslo" });
    expect(idsIn(await call(bob, "list"))).not.toContain(active.id);
    expect((await memory.list("ada")).map(({ id }) => id)).toEqual([active.id]);
    expect((await memory.review.list("ada")).map(({ id }) => id)).toEqual([waiting.id]);
    expect((await memory.verifyAudit("ada")).problems).toEqual([]);
  });
});

describe("the file of tokens", () => {
  const open = async () => {
    const folder = await mkdtemp(join(tmpdir(), "jaf-tokens-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "new", "tokens");
    return { file, tokens: openTokens(file), others: openTokens(file) };
  };

  it("keeps hashes only, for its owner only", async () => {
    const { file, tokens, others } = await open();
    const token = await tokens.add("ada");
    expect(token).toMatch(/^jafm_[\w-]{43}$/);
    expect(await readFile(file, "utf8")).not.toContain(token.slice(5, 20));
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await others.userOf(token)).toBe("ada");
    expect(await others.userOf(`${token}x`)).toBeUndefined();
  });

  it("loses no token of commands at the same time, and a running server sees each change", async () => {
    const { tokens, others } = await open();
    expect(await others.userOf("jafm_none")).toBeUndefined();
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
    const made = await Promise.all(users.map((user) => tokens.add(user)));
    expect(await Promise.all(made.map((token) => others.userOf(token)))).toEqual(users);
    const [first] = await others.list();
    expect(await tokens.remove(first?.id ?? "")).toBe(true);
    expect(await tokens.remove(first?.id ?? "")).toBe(false);
    const left = await Promise.all(made.map((token) => others.userOf(token)));
    expect(left.filter((user) => user === undefined)).toHaveLength(1);
  });

  it("names the line of a newer format", async () => {
    const { file, tokens } = await open();
    await tokens.add("ada");
    await writeFile(file, `${await readFile(file, "utf8")}{"format":2}\n`);
    await expect(openTokens(file).list()).rejects.toThrow(/line 2: not a token of this version/);
    await expect(openTokens(file).add("bob")).rejects.toThrow(/line 2/);
  });
});
