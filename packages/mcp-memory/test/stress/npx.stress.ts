import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../../test/released.ts";
import { freePort } from "../../../../test/servers.ts";
import { call, connect, connectHttp, statementsIn } from "../support/clients.ts";

/** What the README tells users to type, before the arguments. */
const NPX = ["-y", "@jaf/mcp-memory"];

let registry: ReleasedRegistry;
/** Empty, as the folder in which a client happens to start its servers. */
let folder: string;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  folder = await mkdtemp(join(tmpdir(), "jaf-mcp-npx-"));
  // A client gives up after a minute, which an installation can take on a busy machine.
  await timed("npx with an installation", () =>
    promisify(execFile)("npx", [...NPX, "--help"], { cwd: folder, env: registry.environment }),
  );
}, 900_000);

afterAll(async () => {
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Calls an action, and prints how long it took. */
async function timed<T>(what: string, action: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await action();
  console.log(`${what}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
}

/** Serves HTTP until `stop`, which ends the whole process group as Ctrl-C does: npx doesn't pass a signal on. */
async function serve(port: number): Promise<{ readonly stop: () => Promise<void> }> {
  const child = spawn("npx", [...NPX, "--http", String(port)], {
    ...{ cwd: folder, env: registry.environment, detached: true },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = once(child, "close");
  const ready = once(createInterface(child.stderr), "line");
  const [line] = await Promise.race([ready, closed]);
  expect(line).toBe(`jaf-mcp-memory: http://127.0.0.1:${port}/mcp`);
  return {
    stop: async () => {
      process.kill(-(child.pid ?? Number.NaN), "SIGTERM");
      await closed;
    },
  };
}

it("remembers over stdio, and recalls after a restart", async () => {
  const environment = Object.entries({ ...registry.environment, JAF_USER: "ada" });
  const env = Object.fromEntries(
    environment.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const start = () =>
    connect(new StdioClientTransport({ command: "npx", args: NPX, env, cwd: folder, stderr: "inherit" }), {
      elicit: () => "yes",
    });
  const first = await timed("npx", start);
  expect((await first.listTools()).tools.length).toBe(7);
  const remembered = await call(first, "remember", { fact: "Lives in Oslo 🌞" });
  expect(remembered.data["outcome"], remembered.text).toBe("remembered");
  await first.close();
  const second = await timed("npx again", start);
  expect(statementsIn(await call(second, "recall", { query: "Where do I live?" }))).toEqual([
    "Lives in Oslo 🌞",
  ]);
  await second.close();
  expect(await readdir(folder)).toEqual([]);
});

it("remembers over HTTP for the user of a token, and recalls after a restart", async () => {
  const { stdout } = await promisify(execFile)("npx", [...NPX, "token", "add", "--user", "bob"], {
    cwd: folder,
    env: registry.environment,
  });
  const token = stdout.trim();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const first = await serve(port);
  try {
    const client = await connectHttp(url, { token, elicit: () => "yes" });
    const remembered = await call(client, "remember", { fact: "Likes the quince" });
    expect(remembered.data["outcome"], remembered.text).toBe("remembered");
    await client.close();
    await expect(connectHttp(url, { token: "another" })).rejects.toThrow();
  } finally {
    await first.stop();
  }
  const second = await serve(port);
  try {
    const client = await connectHttp(url, { token });
    expect(statementsIn(await call(client, "recall", { query: "Do I like the quince?" }))).toEqual([
      "Likes the quince",
    ]);
  } finally {
    await second.stop();
  }
});
