import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";

afterEach(() => vi.unstubAllEnvs());

it("the program of docs/cost.md stops at the user's budget and reports what tools cost", async () => {
  const document = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
  const [, program = ""] = /^## The ledger$[\s\S]*?^```ts\n([\s\S]*?)^```/m.exec(document) ?? [];
  const called = { name: "find_order", arguments: '{"number":17}' };
  const call = { id: "call_1", type: "function", function: called };
  const fake = await startFakeChat({
    steps: [
      { kind: "reply", message: { tool_calls: [call] } },
      {
        kind: "reply",
        message: { content: "Order 17 is on its way." },
        usage: { prompt_tokens: 40, completion_tokens: 20 },
      },
      "This isn't asked.",
    ],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  // Written to this folder, because the packages can be imported from here.
  const folder = mkdtempSync(join(import.meta.dirname, ".ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.ts"), program);
  await import(pathToFileURL(join(folder, "program.ts")).href);
  expect(fake.refusals).toEqual([]);
  expect(printed.mock.calls).toEqual([
    ["Order 17 is on its way."],
    [expect.stringMatching(/^The budget of the user for this day is used up: \d+ of 50 \(maxTokens\)\.$/)],
    ["find_order", 1],
    [null, 1],
  ]);
  expect(fake.requests).toHaveLength(2);
});
