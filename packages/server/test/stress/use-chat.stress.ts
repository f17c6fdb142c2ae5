import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTool, type ModelProvider } from "@jaf/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { launchChromium } from "../../../../test/chromium.ts";
import { startChatServer } from "../ai-sdk/support/chat-server.ts";
import { CUTS, randomEvents, startCuttingProxy } from "../support/cutting-proxy.ts";
import { realWorlds } from "../support/real-worlds.ts";
import { ADDED, scenarioAgent, scenarioModel } from "../support/scenario.ts";
import { clerk } from "../support/turn-fixtures.ts";
import { openInMemory } from "../support/worlds.ts";

const PACKAGES = [
  ...["@ai-sdk/react@3.0.328", "ai@6.0.326", "react@19.3.1", "react-dom@19.3.1", "zod@4.6.7"],
  "esbuild@0.28.2",
];

const folder = mkdtempSync(join(tmpdir(), "jaf-use-chat-"));
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

beforeAll(() => {
  writeFileSync(join(folder, "package.json"), "{}");
  const install = ["install", "--no-audit", "--no-fund", "--no-save", ...PACKAGES];
  execFileSync("npm", install, { cwd: folder, stdio: "ignore" });
  copyFileSync(here("../ai-sdk/support/chat-page.mjs"), join(folder, "page.mjs"));
  copyFileSync(here("../../src/client/ai-sdk.ts"), join(folder, "ai-sdk.ts"));
  const build = ["page.mjs", "--bundle", "--outfile=bundle.js", "--define:process.env.NODE_ENV='production'"];
  execFileSync(join(folder, "node_modules/.bin/esbuild"), build, { cwd: folder, stdio: "pipe" });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openPage(api: string): Promise<Page> {
  const page = `<!doctype html><div id="root"></div><script>${readFileSync(join(folder, "bundle.js"), "utf8").replaceAll("</script", "<\\/script")}</script>`;
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end(page),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const opened = await browser.newPage();
  opened.on("pageerror", (error) => {
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  await opened.goto(`http://127.0.0.1:${port}/?chat=c&api=${encodeURIComponent(api)}`);
  return opened;
}

const shown = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll("section")].map((each) => each.className + ": " + [...each.querySelectorAll("p")].map((p) => p.textContent).join(" | "))`,
  );
const statusOf = (page: Page) =>
  page.evaluate<string | undefined>(`document.querySelector("main")?.dataset.status`);

const pay = createTool({
  name: "pay",
  description: "Pays",
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
});

/** A model that says a word at each `go`. */
function createSteppedModel(replies: readonly (readonly string[])[]) {
  let [calls, allowed, said] = [0, 0, 0];
  const model: ModelProvider<unknown> = {
    getCompletion: async () => ({ message: { content: "" } }),
    getCompletionStream: async function* () {
      const words = replies[calls] ?? [];
      calls += 1;
      if (words[0] === "pay") {
        yield { type: "tool_call_delta", index: 0, id: "c1", name: "pay", arguments: '{"amount":5}' };
        yield { type: "done" };
        return;
      }
      for (const text of words) {
        while (said >= allowed) await new Promise((go) => setTimeout(go, 10));
        said += 1;
        yield { type: "text_delta", text };
      }
      yield { type: "done" };
    },
  };
  return { model, go: (words = 1) => (allowed += words) };
}

const stores = [["memory", openInMemory] as const, ...realWorlds];

describe.each(stores)("React in a browser, on stores in %s", (_store, openWorld) => {
  it("reloads in the middle of a turn and approves a call", { timeout: 120_000 }, async () => {
    const { model, go } = createSteppedModel([
      ["Hel", "lo ", "there."],
      ["pay"],
      ["Paid."],
      ["Paid ", "again."],
    ]);
    const api = await startChatServer(await openWorld(), [{ ...clerk, tools: [pay] }], model);
    const page = await openPage(api);
    await expect.poll(() => statusOf(page)).toBe("ready");
    await page.fill("input", "Hi");
    await page.click("#send");
    go();
    await expect.poll(() => shown(page)).toEqual(["user: Hi", "assistant: Hel"]);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(["user: Hi", "assistant: Hel"]);
    go();
    await expect.poll(() => shown(page)).toEqual(["user: Hi", "assistant: Hello "]);
    // Again over the running stream.
    await page.click("#resume");
    go();
    await expect.poll(() => statusOf(page)).toBe("ready");
    const first = ["user: Hi", "assistant: Hello there."];
    expect(await shown(page)).toEqual(first);

    await page.fill("input", "Pay");
    await page.click("#send");
    const asked = [...first, "user: Pay", "assistant: tool-pay approval-requested Approve"];
    await expect.poll(() => shown(page)).toEqual(asked);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(asked);
    go();
    await page.click(".approve");
    const paid = [...first, "user: Pay", "assistant: tool-pay output-available paid 5 | Paid."];
    await expect.poll(() => shown(page)).toEqual(paid);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(paid);

    await page.fill("input", "Again");
    await page.click("#send");
    go(2);
    const again = [...paid, "user: Again", "assistant: Paid again."];
    await expect.poll(() => shown(page)).toEqual(again);
    await expect.poll(() => statusOf(page)).toBe("ready");
  });

  it("stops a turn and keeps its text", { timeout: 60_000 }, async () => {
    const api = await startChatServer(await openWorld(), [scenarioAgent], scenarioModel);
    const page = await openPage(api);
    await page.fill("input", "Talk.");
    await page.click("#send");
    const said = ["user: Talk.", "assistant: So far, so good"];
    await expect.poll(() => shown(page)).toEqual(said);
    await page.click("#stop");
    await expect.poll(() => statusOf(page)).toBe("ready");
    expect(await shown(page)).toEqual(said);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(said);
  });

  it("has each part exactly once after connection cuts at twenty random events", {
    timeout: 120_000,
  }, async () => {
    const api = await startChatServer(await openWorld(), [scenarioAgent], scenarioModel);
    const proxy = await startCuttingProxy(new URL(api).origin, (method) =>
      method === "POST" ? randomEvents(1, 18) : undefined,
    );
    const page = await openPage(`${proxy.url}/ai-sdk/chat`);
    const [first, second, third] = ADDED;
    const tool = (result: number) => `tool-add output-available ${result}`;
    const added = ["user: Add.", `assistant: ${[first, tool(3), second, tool(4), third].join(" | ")}`];
    for (let round = 1; round <= CUTS; round++) {
      await page.fill("input", "Add.");
      await page.click("#send");
      await expect.poll(proxy.cuts).toBe(round);
      await expect.poll(() => statusOf(page)).not.toMatch(/submitted|streaming/);
      await page.click("#resume");
      await expect.poll(() => statusOf(page)).toBe("ready");
      const all = Array.from({ length: round }, () => added).flat();
      // If the turn has ended, there is nothing to resume: the client loads the stored messages.
      if ((await shown(page)).join() !== all.join()) await page.reload();
      await expect.poll(() => shown(page)).toEqual(all);
    }
  });
});
