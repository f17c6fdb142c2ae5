import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";
import { bundleProcess } from "../../test/process-bundle.ts";

afterEach(() => vi.unstubAllEnvs());

const calling = (name: string, args: object) => ({
  kind: "reply" as const,
  message: {
    tool_calls: [
      { id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
    ],
  },
});

it("the program of docs/mcp.md calls tools of a server, and asks before one of them writes", async () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const program = /^```ts\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
  const child = await bundleProcess(new URL("support/mcp/files-child.ts", import.meta.url));
  const fake = await startFakeChat({
    steps: [calling("files__list", {}), calling("files__write", { text: "plan.txt" }), "It is written."],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  // Written to this folder, because the packages can be imported from here.
  const folder = mkdtempSync(join(import.meta.dirname, ".mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tried = program
    .replace('command: "npx"', `command: ${JSON.stringify(process.execPath)}`)
    .replace(/args: \[.*\]/, `args: [${JSON.stringify(child)}]`)
    .replace(/createInterface\(.*\)/, "{ question: async () => 'yes', close: () => {} }");
  writeFileSync(join(folder, "program.ts"), tried);
  await import(pathToFileURL(join(folder, "program.ts")).href);
  expect(fake.refusals).toEqual([]);
  expect(printed.mock.calls).toEqual([["It is written."]]);
  const results = fake.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining("plan.txt"),
    expect.stringContaining("wrote plan.txt"),
  ]);
});
