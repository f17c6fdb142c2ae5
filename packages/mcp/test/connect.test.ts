import { describe, expect, it, onTestFinished } from "vitest";
import { connectMcpServers, type McpProgress, type McpServers, type McpWarning } from "../src/index.ts";
import { startHonest } from "./support/honest.ts";
import { callTool, connectHostile, names } from "./support/hostile.ts";
import { startSseServer } from "./support/sse-server.ts";

const closing = async (connecting: Promise<McpServers>): Promise<McpServers> => {
  const servers = await connecting;
  onTestFinished(() => servers.close());
  return servers;
};

describe("a server over HTTP", () => {
  it("is spoken to in the newer generation, and offers its tools, resources and prompts", async () => {
    const { url } = await startHonest();
    const servers = await closing(connectMcpServers({ one: { url }, two: { url: new URL(url) } }));
    expect(servers.status()).toMatchObject({
      one: { state: "connected", tools: 3, protocolVersion: "2026-07-28" },
      two: { state: "connected" },
    });
    const own = ["add", "erase", "count", "list_resources", "read_resource", "list_prompts", "get_prompt"];
    expect(names(servers)).toEqual(
      ["one", "two"].flatMap((server) => own.map((name) => `${server}__${name}`)),
    );
    expect(await callTool(servers, "one__add", { args: { a: 1, b: 2 } })).toContain("\n3\n");
    await expect(callTool(servers, "one__add", { args: { a: 1 } })).rejects.toThrow("refused");
    expect(await callTool(servers, "one__list_resources")).toContain("- note:///one | note | text/plain");
    expect(await callTool(servers, "one__read_resource", { args: { uri: "note:///one" } })).toContain(
      "Buy milk.",
    );
    expect(await callTool(servers, "one__list_prompts")).toContain("- greet | Greets. | name");
    const greet = { name: "greet", arguments: { name: "Ada" } };
    expect(await callTool(servers, "one__get_prompt", { args: greet })).toContain("user:\nGreet Ada.");
    expect(await callTool(servers, "one__read_resource", { args: { uri: "note:///none" } })).toMatchObject({
      error: { code: "EXECUTION_FAILED" },
    });
  });

  it("may be asked for tools alone", async () => {
    const { url } = await startHonest();
    const servers = await closing(connectMcpServers({ one: { url, resources: false, prompts: false } }));
    expect(names(servers)).toEqual(["one__add", "one__erase", "one__count"]);
  });

  it("tells its progress", async () => {
    const { url } = await startHonest();
    const told: McpProgress[] = [];
    const servers = await closing(
      connectMcpServers({ one: { url } }, { onProgress: (progress) => told.push(progress) }),
    );
    await callTool(servers, "one__count");
    expect(told).toEqual(
      [1, 2, 3].map((progress) => ({
        ...{ server: "one", tool: "count", progress, total: 3, message: `step ${progress}` },
      })),
    );
  });

  it("may be away for a while", async () => {
    const { url, stop, start } = await startHonest();
    const servers = await closing(connectMcpServers({ one: { url } }));
    await stop();
    expect(await callTool(servers, "one__add", { args: { a: 1, b: 2 } })).toMatchObject({
      error: { code: "RESOURCE_UNAVAILABLE", details: { retryable: true } },
    });
    await start();
    expect(await callTool(servers, "one__add", { args: { a: 1, b: 2 } })).toContain("3");
  });

  it("may come up later", async () => {
    const { url, stop, start } = await startHonest();
    await stop();
    const warnings: McpWarning[] = [];
    const servers = await closing(
      connectMcpServers({ one: { url } }, { onWarning: (warning) => warnings.push(warning) }),
    );
    expect([servers.tools, servers.status()["one"]?.state]).toEqual([[], "disconnected"]);
    expect(warnings).toMatchObject([{ type: "disconnected", server: "one" }]);
    let changes = 0;
    const stopListening = servers.onChange(() => {
      changes += 1;
    });
    await start();
    await servers.refresh();
    await servers.refresh();
    expect([changes, servers.tools.length]).toEqual([1, 7]);
    stopListening();
  });

  it("may send no message over the limit", async () => {
    const { url } = await startHonest();
    const servers = await closing(
      connectMcpServers({ one: { url } }, { messageBytes: 200, onWarning: () => {} }),
    );
    expect(servers.tools).toEqual([]);
  });

  it("may know no Streamable HTTP", async () => {
    const servers = await closing(connectMcpServers({ old: { url: await startSseServer() } }));
    expect(servers.status()["old"]).toMatchObject({ state: "connected", protocolVersion: "2024-11-05" });
    expect(await callTool(servers, "old__old")).toContain("from of old");
  });

  it("that asks for a login gets none by itself", async () => {
    const warnings: McpWarning[] = [];
    const refusing: typeof fetch = async () => new Response("", { status: 401 });
    const servers = await closing(
      connectMcpServers(
        { one: { url: "http://127.0.0.1:1/mcp", fetch: refusing } },
        { onWarning: (warning) => warnings.push(warning) },
      ),
    );
    expect(servers.status()["one"]?.state).toBe("unauthorized");
    expect(warnings).toMatchObject([{ type: "unauthorized" }]);
    await expect(servers.finishAuth("two", new URLSearchParams())).rejects.toThrow(TypeError);
  });
});

describe("closing", () => {
  it("ends the child process, and a later call fails", async () => {
    const { servers, call } = await connectHostile("results");
    const pid = Number(/pid (\d+)/.exec(String(await call("pid")))?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    const hanging = call("hang");
    await servers.close();
    expect(await hanging).toMatchObject({ status: "error" });
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(servers.status()["bad"]?.state).toBe("closed");
    expect(await call("nothing")).toMatchObject({ error: { code: "RESOURCE_UNAVAILABLE" } });
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
