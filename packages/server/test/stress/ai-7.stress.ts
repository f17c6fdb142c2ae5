import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { startChatServer } from "../ai-sdk/support/chat-server.ts";
import { comparable } from "../ai-sdk/support/comparable.ts";
import { CUTS, randomEvents, startCuttingProxy } from "../support/cutting-proxy.ts";
import { realWorlds } from "../support/real-worlds.ts";
import { ADDED, scenarioAgent, scenarioModel } from "../support/scenario.ts";
import { openInMemory } from "../support/worlds.ts";

/** AI SDK 7 needs Node 22, which is installed as a package. */
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

const textOf = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

const stores = [["memory", openInMemory] as const, ...realWorlds];

describe.each(stores)("the chat of AI SDK 7, on stores in %s", (_store, openWorld) => {
  it("approves, regenerates, stops, resumes, and is cut at twenty random events", {
    timeout: 120_000,
  }, async () => {
    const api = await startChatServer(await openWorld(), [scenarioAgent], scenarioModel);
    const proxy = await startCuttingProxy(new URL(api).origin, (method) =>
      method === "POST" ? randomEvents(1, 18) : undefined,
    );
    const node = join(folder, "node_modules", NODE, "bin/node");
    const args = [join(folder, "chat.mjs"), api, `${proxy.url}/ai-sdk/chat`, String(CUTS)];
    const { stdout } = await promisify(execFile)(node, args, { encoding: "utf8", timeout: 110_000 });
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
    const [paid, added, stopped, slowly, ...cut] = held.map((chat) => textOf(chat[1]));
    expect(paid).toEqual(["Paid."]);
    expect(added).toEqual(ADDED);
    expect(stopped).toEqual(["So far, so good"]);
    expect(slowly).toEqual(["Zero, one, two, three."]);
    expect(cut).toEqual(Array.from({ length: CUTS }, () => ADDED));
    expect(proxy.cuts()).toBe(CUTS);
  });
});
