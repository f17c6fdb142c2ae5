import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createScriptedModel, type ScriptedStep } from "@jaf/core/testing";
import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { installTool } from "../../../../test/tools.ts";
import type { AssistantContext } from "../../src/assistant/agent.ts";
import { connectServers } from "../../src/assistant/connect-servers.ts";
import { chat } from "../../src/chat/chat.ts";
import { startDemo } from "../support/demo-process.ts";
import { scriptedTerminal } from "../support/scripted-terminal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const VERSION = "2026.8.31";

/** The official servers, by the name of their package. */
const programs = new Map<string, string>();

beforeAll(async () => {
  for (const name of ["filesystem", "memory", "everything"]) {
    const modules = await installTool(`@modelcontextprotocol/server-${name}`, VERSION);
    programs.set(name, join(modules, `@modelcontextprotocol/server-${name}/dist/index.js`));
  }
}, 300_000);

/** A folder with a configuration of the three servers. */
function configured() {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = realpathSync(folder.path);
  const node = (name: string, ...args: readonly string[]) => ({
    command: process.execPath,
    args: [programs.get(name), ...args],
  });
  const file = folder.write(
    "mcp.json",
    JSON.stringify({
      mcpServers: {
        files: { ...node("filesystem", path), trusted: true },
        memory: { ...node("memory"), env: { MEMORY_FILE_PATH: join(path, "memory.jsonl") } },
        everything: { ...node("everything"), trusted: true },
      },
    }),
  );
  return { folder, path, file };
}

const calls = (...called: readonly (readonly [name: string, args?: object, id?: string])[]) => ({
  toolCalls: called.map(([name, args = {}, id = name]) => ({ name, id, arguments: args })),
});

async function talk(
  file: string,
  {
    provider,
    steps,
    lines,
  }: {
    readonly provider: MemoryProvider;
    readonly steps: readonly ScriptedStep<AssistantContext>[];
    readonly lines: readonly string[];
  },
) {
  const servers = await connectServers(file);
  const { terminal, printed } = scriptedTerminal(...lines);
  const model = createScriptedModel<AssistantContext>(steps);
  const notes = { add: async () => {}, list: async () => [], remove: async () => undefined };
  try {
    const answered = await chat({
      store: { provider, userMemory: new MemoryUserMemory(), notes, close: async () => {} },
      ...{ userId: "ada", modelProvider: model, terminal, servers },
      ...{ notices: [servers.notice], signal: new AbortController().signal },
    });
    model.assertDone();
    return { answered, out: printed() };
  } finally {
    await servers.close();
  }
}

/** All results of tools in the only conversation, by the ids of their calls. */
async function results(provider: MemoryProvider): Promise<Readonly<Record<string, unknown>>> {
  const found = await provider.findConversations({ userId: "ada" });
  if (!found.success) throw new Error(found.error.message);
  const messages = found.data[0]?.messages ?? [];
  return Object.fromEntries(
    messages.flatMap(({ role, content, tool_call_id: id }) => (role === "tool" ? [[id, content]] : [])),
  );
}

it("the demo's assistant uses the filesystem, memory and everything servers, and asks where it must", async () => {
  const { path, file } = configured();
  const provider = createInMemoryProvider();
  const ada = { name: "Ada", entityType: "person", observations: ["likes tea"] };
  const { answered, out } = await talk(file, {
    provider,
    lines: ["Write a file.", "maybe", "yes", "Remember Ada.", "y", "Delete it.", "no", "Show everything."],
    steps: [
      calls(["files__write_file", { path: join(path, "note.txt"), content: "Buy milk." }]),
      calls(
        ["files__read_text_file", { path: join(path, "note.txt") }, "read"],
        ["files__list_directory", { path }],
      ),
      "Written.",
      calls(["memory__create_entities", { entities: [ada] }]),
      "Remembered.",
      calls(["memory__delete_entities", { entityNames: ["Ada"] }]),
      "Kept.",
      calls(
        ["everything__get-sum", { a: 2, b: 3 }],
        ["everything__get-sum", { a: "two" }, "refused"],
        ["everything__get-tiny-image"],
        ["everything__get-structured-content", { location: "Chicago" }],
        ["everything__get-resource-reference", { resourceType: "Blob", resourceId: 2 }],
        ["everything__trigger-long-running-operation", { duration: 1, steps: 3 }],
        ["everything__list_resources"],
        ["everything__get_prompt", { name: "args-prompt", arguments: { city: "Pune" } }],
        ["files__read_text_file", { path: "/etc/hostname" }, "outside"],
      ),
      "Done.",
    ],
  });
  expect(answered).toBe(true);
  expect(out).toContain("files (14 tools), memory (9 tools), everything (13 tools)");
  expect(out.match(/Say yes or no/g)).toHaveLength(4);
  expect(readFileSync(join(path, "note.txt"), "utf8")).toBe("Buy milk.");
  expect(readFileSync(join(path, "memory.jsonl"), "utf8")).toContain("likes tea");
  const given = await results(provider);
  expect(given).toMatchObject({
    files__write_file: expect.stringContaining("Successfully wrote"),
    memory__delete_entities: expect.stringContaining("not approved"),
    "everything__get-sum": expect.stringContaining("5"),
    refused: expect.stringContaining("INVALID_INPUT"),
    "everything__get-tiny-image": expect.arrayContaining([
      expect.objectContaining({ type: "media", mediaType: "image/png" }),
    ]),
    "everything__get-structured-content": expect.stringContaining("temperature"),
    "everything__get-resource-reference": expect.stringContaining("demo://resource"),
    "everything__trigger-long-running-operation": expect.stringContaining("completed"),
    everything__list_resources: expect.stringContaining("- demo://"),
    everything__get_prompt: expect.stringContaining("Pune"),
    outside: expect.stringMatching(/EXECUTION_FAILED.*denied/s),
  });
  expect(String(given["read"])).toContain("Buy milk.");
});

it("a chat in another process asks again for what waits, and the approved call is made once", async () => {
  const { path, file } = configured();
  const provider = createInMemoryProvider();
  const write = calls(["files__write_file", { path: join(path, "later.txt"), content: "later" }]);
  await talk(file, { provider, lines: ["Write it."], steps: [write] });
  const { out } = await talk(file, { provider, lines: ["/retry", "yes"], steps: ["Written."] });
  expect(out).toContain("? files__write_file");
  expect(readFileSync(join(path, "later.txt"), "utf8")).toBe("later");
  expect(Object.keys(await results(provider))).toEqual(["files__write_file"]);
});

it("the demo takes the servers from a file, and ends them", async () => {
  const { folder, file } = configured();
  const demo = startDemo(["chat", "--data", folder.data, "--mcp", file], { input: "Hello!\n" });
  await demo.printed(/MCP servers: files \(14 tools\)/);
  expect(await demo.finished).toMatchObject({ code: 0, err: "" });
  const none = await startDemo(["chat", "--data", folder.data, "--mcp", "none.json"], { input: "" }).finished;
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("none.json") });
});
