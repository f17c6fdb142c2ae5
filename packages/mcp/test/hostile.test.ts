import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { connectMcpServers } from "../src/index.ts";
import { callTool, connectHostile, names } from "./support/hostile.ts";

const nameRule = /^[a-zA-Z0-9_-]{1,64}$/;

describe("the names of a hostile server's tools", () => {
  it("are valid, differ, and never stand for a tool of this package", async () => {
    const { servers, warnings } = await connectHostile("names");
    const listed = names(servers);
    expect(listed).toHaveLength(8);
    expect(new Set(listed).size).toBe(listed.length);
    for (const name of listed) expect(name).toMatch(nameRule);
    expect(listed).toContain("bad__same");
    expect(listed).not.toContain("bad__list_resources");
    expect(listed).not.toContain("bad__read_resource");
    expect(warnings).toEqual([
      {
        ...{ type: "tool_left_out", server: "bad", tool: "same" },
        message: "the server has another tool of this name",
      },
    ]);
  });

  it("are the same in another process and with other tools beside them", async () => {
    const first = await connectHostile("names");
    const second = await connectHostile("names");
    expect(names(second.servers)).toEqual(names(first.servers));
  });

  it("are called by the server's own name", async () => {
    const { servers, log } = await connectHostile("names");
    for (const name of names(servers)) await callTool(servers, name);
    expect(new Set(log())).toContain("has space");
    expect(new Set(log()).size).toBe(8);
  });

  it("are kept apart per server, and a server's name is checked", async () => {
    await expect(connectMcpServers({ a__b: { command: "x" } })).rejects.toThrow(TypeError);
    await expect(connectMcpServers({ a_: { command: "x" } })).rejects.toThrow(/a_/);
    await expect(connectMcpServers({ a: { url: "ftp://x" } })).rejects.toThrow(/url/);
  });
});

describe("the schemas of a hostile server", () => {
  it("leave their own tool out, and no other", async () => {
    const { servers, warnings, call } = await connectHostile("schemas");
    expect(names(servers)).toEqual(
      ["good", "itself", "doubling", "pattern", "async", "chatty"].map((name) => `bad__${name}`),
    );
    const reasons = Object.fromEntries(warnings.map(({ tool, message }) => [tool, message]));
    expect(reasons).toMatchObject({
      megabytes: expect.stringContaining("3000034 bytes, more than 32768"),
      deep: expect.stringContaining("nested deeper"),
      remote: expect.stringContaining("another document"),
      nowhere: expect.stringContaining("doesn't have"),
      nonsense: expect.stringContaining("valid JSON Schema"),
    });
    expect(await call("good", { n: 1 })).toContain("called good");
    await expect(call("good", { n: "one" })).rejects.toThrow("refused");
    await expect(call("async", { n: "one" })).rejects.toThrow("refused");
  });

  it("can't keep the process busy", async () => {
    const { call } = await connectHostile("schemas");
    const before = performance.now();
    await call("pattern", { a: `${"a".repeat(40)}!` });
    await call("doubling", { a: 7 });
    let deep: object = {};
    for (let level = 0; level < 60; level += 1) deep = { b: deep };
    await call("itself", deep);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it("reach the model as they were written, and long descriptions are cut", async () => {
    const { servers } = await connectHostile("schemas");
    const schemaOf = (name: string) => servers.tools.find(({ schema }) => schema.name === name)?.schema;
    expect(z.toJSONSchema(schemaOf("bad__pattern")?.parameters as z.ZodType)).toMatchObject({
      type: "object",
      properties: { a: { pattern: "^(a+)+$" } },
    });
    expect(schemaOf("bad__chatty")?.description.length).toBeLessThan(5_000);
  });

  it("of results are never run", async () => {
    const { call } = await connectHostile("results");
    expect(await call("schema")).toContain("aaa!");
  });
});

describe("the list of a hostile server", () => {
  it("keeps its sound tools if others break the protocol", async () => {
    const { servers, warnings } = await connectHostile("broken");
    expect(names(servers)).toEqual(["bad__good"]);
    expect(warnings.map(({ tool }) => tool)).toEqual(["(without a name)", "bad", "none"]);
  });

  it("is cut at the limit", async () => {
    const { servers, warnings } = await connectHostile("many", { tools: 5 });
    expect(names(servers)).toHaveLength(5);
    expect(warnings).toHaveLength(295);
  });

  it("may not have endless pages", async () => {
    const { servers, warnings } = await connectHostile("pages");
    expect(names(servers)).toEqual([]);
    expect(warnings).toMatchObject([{ type: "list_failed" }]);
  });

  it("may change while a turn goes on: a tool that is gone answers with an error", async () => {
    const { servers, call, log } = await connectHostile("changing");
    const before = servers.tools;
    let changes = 0;
    servers.onChange(() => {
      changes += 1;
    });
    await call("change");
    await expect.poll(() => changes).toBe(1);
    // A turn goes on with the list that it began with.
    expect(names({ tools: before })).not.toContain("bad__after");
    const old = before.find(({ schema }) => schema.name === "bad__before");
    expect(await old?.execute({}, {})).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    // The next turn has the new list. A stored call finds its tool under the same name.
    expect(names(servers)).toEqual(expect.arrayContaining(["bad__before", "bad__stays", "bad__after"]));
    expect(await call("before")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    expect(await call("after")).toContain("called after");
    expect(await call("stays")).toContain("called stays");
    expect(log()).toEqual(["change", "after", "stays"]);
    const kept = servers.tools.find(({ schema }) => schema.name === "bad__stays");
    expect(before).toContain(kept);
  });

  it("may change all the time: what is kept of it is bounded", async () => {
    const { servers } = await connectHostile("flooding");
    await expect.poll(() => names(servers).includes("bad__t40"), { timeout: 60_000 }).toBe(true);
    expect(servers.status()["bad"]).toMatchObject({ state: "connected", tools: 1 });
    expect(names(servers).length).toBeLessThanOrEqual(129);
  });
});

describe("the results of a hostile server", () => {
  it("can't leave their tag or pose as results of the engine", async () => {
    const { call } = await connectHostile("results");
    const injected = String(await call("inject"));
    expect(injected.match(/<\/mcp-result>/g)).toHaveLength(1);
    expect(injected.trimEnd()).toMatch(/<\/mcp-result>$/);
    expect(typeof (await call("lookalike"))).toBe("string");
    expect(String(await call("lookalike"))).toMatch(/^What the MCP server "bad" returned/);
    const failed = await call("failing");
    expect(failed).toMatchObject({ status: "error", error: { code: "EXECUTION_FAILED" } });
    expect(JSON.stringify(failed).match(/<\/mcp-result>/g)).toHaveLength(1);
    const refused = await call("refuse");
    expect(refused).toMatchObject({ error: { code: "EXECUTION_FAILED", details: { retryable: false } } });
    expect(JSON.stringify(refused).match(/<\/mcp-result>/g)).toHaveLength(1);
  });

  it("are cut, with a note", async () => {
    const { call } = await connectHostile("results");
    const huge = String(await call("huge"));
    expect(huge).toContain("934464 bytes of text are cut off");
    expect(new TextEncoder().encode(huge).length).toBeLessThan(66_000);
  });

  it("keep the media that models take, within the limit", async () => {
    const { call } = await connectHostile("results");
    const returned = (await call("media")) as { readonly parts: readonly { readonly type: string }[] };
    expect(returned.parts.map(({ type }) => type)).toEqual(["text", "media", "media", "text"]);
    expect(returned.parts).toMatchObject([
      { text: expect.stringContaining("A file of about 6000000 bytes is left out.") },
      { mediaType: "image/png", data: "iVBORw0KGgo=" },
      { mediaType: "audio/wav" },
      { text: expect.stringContaining("file:///b]\nembedded\n[Resource file:///c, c]") },
    ]);
  });

  it("may be structured, empty, malformed or of unknown kinds", async () => {
    const { call } = await connectHostile("results");
    expect(await call("structured")).toContain('{"temperature":20}');
    expect(await call("nothing")).toContain("(nothing)");
    expect(await call("lone")).toContain("\ufffd and");
    expect(await call("no_content")).toContain("(nothing)");
    for (const name of ["unknown_block", "bad_base64"])
      expect(await call(name)).toMatchObject({ error: { code: "EXTERNAL_SERVICE_ERROR" } });
  });

  it("may not exceed the size of a message", async () => {
    const { call, servers } = await connectHostile("results");
    expect(await call("flood")).toMatchObject({
      error: { code: "EXTERNAL_SERVICE_ERROR", details: { retryable: false } },
    });
    expect(await call("nothing")).toContain("(nothing)");
    expect(servers.status()["bad"]?.state).toBe("connected");
  });
});

describe("a hostile server that asks the client for something", () => {
  it("is refused, as nothing is offered", async () => {
    const { call } = await connectHostile("results");
    expect(await call("ask")).toContain('answered {"code":-32601');
    expect(await call("sample")).toContain('answered {"code":-32601');
  });

  it("gets the answer of the application, if there is a handler", async () => {
    const { call } = await connectHostile("results", {
      elicit: async ({ server, message }) =>
        server === "bad" && message === "Your password?" ? { action: "decline" } : { action: "cancel" },
    });
    expect(await call("ask")).toContain('"action":"decline"');
  });
});

describe("a server that hangs", () => {
  it("while connecting or listing doesn't hold the others up", async () => {
    const { servers, warnings } = await connectHostile("silent", { connectMs: 900 });
    expect(servers.tools).toEqual([]);
    expect(warnings).toMatchObject([{ type: "disconnected" }]);
    const listing = await connectHostile("silent-list", { connectMs: 900 });
    expect(listing.warnings).toMatchObject([{ type: "list_failed" }]);
  });

  it("during a call gets a cancellation, and the model an error", async () => {
    const { call, log } = await connectHostile("results", { callMs: 300 });
    expect(await call("hang")).toMatchObject({ error: { code: "TIMEOUT", details: { retryable: false } } });
    await expect.poll(log).toContain("cancelled");
  });

  it("hears of an abort", async () => {
    const { call, log } = await connectHostile("results");
    const controller = new AbortController();
    const calling = call("hang", {}, controller.signal);
    await expect.poll(log).toContain("hang");
    controller.abort(new Error("stopped"));
    await expect(calling).rejects.toThrow("stopped");
    await expect.poll(log).toContain("cancelled");
  });
});

describe("a server that dies", () => {
  it("during a call is started again, but the call isn't repeated", async () => {
    const { call, log, servers } = await connectHostile("dies");
    expect(await call("write")).toMatchObject({
      error: {
        code: "EXTERNAL_SERVICE_ERROR",
        message: expect.stringContaining("may have been carried out"),
      },
    });
    expect(await call("read")).toMatchObject({ error: { code: "EXTERNAL_SERVICE_ERROR" } });
    expect(log()).toEqual(["write", "read"]);
    expect(servers.status()["bad"]?.state).toBe("disconnected");
  });

  it("gets a read-only or idempotent call once more if it is trusted", async () => {
    const { call, log, servers } = await connectHostile("dies", {}, { trusted: true });
    for (const name of ["write", "read", "repeat"])
      expect(await call(name)).toMatchObject({ error: { code: "EXTERNAL_SERVICE_ERROR" } });
    expect(log()).toEqual(["write", "read", "read", "repeat", "repeat"]);
    const repeatable = Object.fromEntries(
      servers.tools.map(({ schema, repeatable }) => [schema.name, repeatable]),
    );
    expect(repeatable).toEqual({ bad__write: false, bad__read: true, bad__repeat: true });
  });

  it.each(["exits", "no-such-program"])("at once (%s) doesn't hold the others up", async (kind) => {
    const { servers, warnings } = kind === "exits" ? await connectHostile("exits") : await connectMissing();
    expect(servers.tools).toEqual([]);
    expect(warnings).toMatchObject([{ type: "disconnected" }]);
    await servers.refresh();
    expect(warnings).toHaveLength(2);
  });

  it("may send lines that are no messages", async () => {
    const { servers } = await connectHostile("garbage");
    expect(servers.status()["bad"]?.state).toBe("connected");
  });
});

async function connectMissing() {
  const warnings: unknown[] = [];
  const servers = await connectMcpServers(
    { bad: { command: "no-such-program-anywhere" } },
    { onWarning: (warning) => warnings.push(warning) },
  );
  onTestFinished(() => servers.close());
  return { servers, warnings };
}
