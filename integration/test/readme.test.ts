import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";

afterEach(() => vi.unstubAllEnvs());

it("the README's first program calls a model and remembers", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const program = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? "";
  const fake = await startFakeChat({
    steps: ["Nice to meet you, Ada.", "Your name is Ada."],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  // Written to this folder, because the packages can be imported from here.
  const folder = mkdtempSync(join(import.meta.dirname, ".readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = JSON.stringify(join(folder, "data"));
  writeFileSync(join(folder, "program.ts"), program.replace('"./data"', data));
  await import(pathToFileURL(join(folder, "program.ts")).href);
  expect(fake.refusals).toEqual([]);
  expect(printed.mock.calls).toEqual([["Your name is Ada."]]);
  expect(fake.requests[1]?.messages.map(({ content }) => content)).toEqual([
    "Be brief.",
    "My name is Ada.",
    "Nice to meet you, Ada.",
    "What is my name?",
  ]);
});
