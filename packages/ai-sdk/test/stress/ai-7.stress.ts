import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

/** AI SDK 7 needs Node 22, which is installed as a package. */
const NODE = `node-${process.platform}-${process.arch}`;
const PACKAGES = [`${NODE}@22.23.3`, "ai@7.0.173", "@ai-sdk/openai-compatible@3.0.92", "zod@4.6.7"];
const HISTORIES = 2_000;

const folder = mkdtempSync(join(tmpdir(), "jaf-ai-7-"));
const child = fileURLToPath(new URL("../support/ai-7-child.ts", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

beforeAll(() => {
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...PACKAGES], {
    cwd: folder,
    stdio: "ignore",
  });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("AI SDK 7 accepts the UI messages, and its models work", () => {
  const node = join(folder, "node_modules", NODE, "bin/node");
  const args = ["--import", tsx, "--conditions=@jaf/source", child, folder, String(HISTORIES)];
  const found = JSON.parse(execFileSync(node, args, { encoding: "utf8" }));
  expect(found.judged).toBeGreaterThan(0.95 * HISTORIES);
  const back = [
    {
      role: "user",
      content: [
        { type: "text", text: "What is that?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      reasoning_content: "Hm…",
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "price", arguments: '{"article":"apple"}' },
          extra_content: { google: { thought_signature: "c2ln" } },
        },
      ],
    },
  ];
  const completed = { status: "completed", output: "50 cents." };
  expect(found.v4).toMatchObject(["v4", completed, completed, back, back]);
});
