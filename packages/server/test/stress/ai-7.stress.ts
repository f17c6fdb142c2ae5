import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTool, type ModelProvider } from "@jaf/core";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { startChatServer } from "../ai-sdk/support/chat-server.ts";
import { comparable } from "../ai-sdk/support/comparable.ts";
import { clerk, createWorld } from "../turns/support/turn-fixtures.ts";

/** AI SDK 7 needs Node 22, which comes as a package for this machine. */
const NODE = `node-${process.platform}-${process.arch}`;
const PACKAGES = [`${NODE}@22.23.3`, "ai@7.0.173", "zod@4.6.7"];

const folder = mkdtempSync(join(tmpdir(), "jaf-ai-7-chat-"));

beforeAll(() => {
  writeFileSync(join(folder, "package.json"), "{}");
  const install = ["install", "--no-audit", "--no-fund", "--no-save", ...PACKAGES];
  execFileSync("npm", install, { cwd: folder, stdio: "ignore" });
  const child = fileURLToPath(new URL("../ai-sdk/support/ai-7-chat.mjs", import.meta.url));
  copyFileSync(child, join(folder, "chat.mjs"));
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pay = createTool({
  name: "pay",
  description: "Pays",
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
});

/** Calls the tool for "Pay.", until it has a result, and says everything else word by word. */
const model: ModelProvider<unknown> = {
  getCompletion: async () => ({ message: { content: "" } }),
  getCompletionStream: async function* ({ messages }) {
    if (messages.at(-1)?.content === "Pay." && messages.length === 1) {
      yield { type: "tool_call_delta", index: 0, id: "c1", name: "pay", arguments: '{"amount":5}' };
    } else {
      for (const text of ["Zero, ", "one, ", "two, ", "three."]) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        yield { type: "text_delta", text };
      }
    }
    yield { type: "done" };
  },
};

const textOf = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

it("is used by the chat of AI SDK 7", { timeout: 120_000 }, async () => {
  const api = await startChatServer(createWorld(), [{ ...clerk, tools: [pay] }], model);
  const node = join(folder, "node_modules", NODE, "bin/node");
  const options = { encoding: "utf8", timeout: 90_000 } as const;
  const { stdout } = await promisify(execFile)(node, [join(folder, "chat.mjs"), api], options);
  const messages = z.array(z.array(z.custom<UIMessage>()));
  const { errors, held, stored } = z
    .object({ errors: z.array(z.string()), held: messages, stored: messages })
    .parse(JSON.parse(stdout));
  expect(errors).toEqual([]);
  expect(held.map((chat) => chat.map(({ id }) => id))).toEqual(
    stored.map((chat) => chat.map(({ id }) => id)),
  );
  expect(held.flat().map(({ parts }) => comparable(parts))).toEqual(
    stored.flat().map(({ parts }) => comparable(parts)),
  );
  expect(stored.map((chat) => chat.length)).toEqual([2, 2]);
  expect(textOf(held[1]?.[1])).toEqual(["Zero, one, two, three."]);
});
