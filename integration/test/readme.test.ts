import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { runDocumentProgram } from "../../test/document-program.ts";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";
import { placeDatabase } from "../../test/pglite-folder.ts";

afterEach(() => vi.unstubAllEnvs());

it("the README's first program calls a model and remembers", async () => {
  const fake = await startFakeChat({
    steps: ["Nice to meet you, Ada.", "Your name is Ada."],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const folder = mkdtempSync(join(tmpdir(), "jaf-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await placeDatabase(join(folder, "data"));
  const data = JSON.stringify(join(folder, "data"));
  expect(await runDocumentProgram("README.md", { '"./data"': data })).toEqual([["Your name is Ada."]]);
  expect(fake.refusals).toEqual([]);
  expect(fake.requests[1]?.messages.map(({ content }) => content)).toEqual([
    "Be brief.",
    "My name is Ada.",
    "Nice to meet you, Ada.",
    "What is my name?",
  ]);
});
