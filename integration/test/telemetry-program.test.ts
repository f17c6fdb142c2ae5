import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { context, trace } from "@opentelemetry/api";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";

afterEach(() => vi.unstubAllEnvs());

it("the program of docs/telemetry.md prints the spans that the page shows", async () => {
  const page = readFileSync(new URL("../../docs/telemetry.md", import.meta.url), "utf8");
  const program = /^```ts\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
  const shown = /^```text\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "order_status", arguments: '{"id":"7"}' },
  };
  const fake = await startFakeChat({
    steps: [{ kind: "reply", message: { content: null, tool_calls: [call] } }, "Order 7 is on its way."],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  // The program registers its SDK for the whole process.
  onTestFinished(() => {
    printed.mockRestore();
    trace.disable();
    context.disable();
  });
  // Written to the folder of the documentation, because the packages can be imported from there.
  const folder = mkdtempSync(join(import.meta.dirname, "../../docs/.telemetry-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.ts"), program);
  await import(pathToFileURL(join(folder, "program.ts")).href);
  expect(fake.refusals).toEqual([]);
  const lines = printed.mock.calls.map((words) => words.join(" ").trimEnd());
  expect(`${lines.join("\n")}\n`).toBe(shown);
});
