import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { launchChromium } from "../../../test/chromium.ts";
import { type FakeChat, startFakeChat } from "../../../test/fakes/openai-chat.ts";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";
import { freePort } from "../../../test/servers.ts";
import { createDatabase } from "../support/examples/database.ts";
import { copyExample, type ExampleCopy, runProgram, startProgram } from "../support/examples/example.ts";

/** The example with Next: built, started, and used in Chromium, on Postgres and on PGlite. */

const STORY = "Apples, pears and plums came on a cart from the hills. ".repeat(12);
const SCREENSHOTS = fileURLToPath(new URL("../../../node_modules/.cache/screenshots/", import.meta.url));

let registry: ReleasedRegistry;
let copy: ExampleCopy;
let chat: FakeChat;
let browser: Browser;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  copy = await copyExample("next");
  chat = await startFakeChat({
    steps: [
      ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("story")) return { kind: "reply", message: { content: STORY }, pieceDelayMs: 200 };
        if (!last.includes("apples, please")) return "They are on their way.";
        const order = { name: "order", arguments: '{"fruit":"apples","kilograms":2}' };
        return {
          kind: "reply",
          message: { tool_calls: [{ id: "call_1", type: "function", function: order }] },
        };
      },
    ],
  });
  environment = {
    ...registry.environment,
    NEXT_TELEMETRY_DISABLED: "1",
    NODE_ENV: "production",
    OPENAI_BASE_URL: chat.baseURL,
  };
  const surroundings = { cwd: copy.folder, environment };
  await runProgram("npm", ["install", "--include=dev", "--loglevel=error"], surroundings);
  await runProgram("npm", ["run", "build"], surroundings);
  browser = await launchChromium();
}, 900_000);

afterAll(async () => {
  await browser?.close();
  await chat?.close();
  await registry?.stop();
  await copy?.remove();
});

interface StartOptions {
  readonly port: number;
  readonly variables?: NodeJS.ProcessEnv;
}

async function startNext({ port, variables = {} }: StartOptions) {
  const next = join(copy.folder, "node_modules/next/dist/bin/next");
  const server = await startProgram(
    process.execPath,
    [next, "start", "-H", "127.0.0.1", "-p", String(port)],
    {
      cwd: copy.folder,
      environment: { ...environment, ...variables },
      ready: /Ready in/,
    },
  );
  onTestFinished(async () => void (await server.end("SIGKILL")));
  return server;
}

/** A page of a new user. */
async function openPage(url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 960, height: 600 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("pageerror", (error) => {
    throw error;
  });
  await page.goto(url);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill("input", text);
  await page.click("text=Send");
}

const shown = (page: Page): Promise<readonly string[]> => page.locator("main section").allInnerTexts();
const isReady = (page: Page) => page.locator('main[data-status="ready"]').waitFor();

describe("The example with Next", { timeout: 300_000 }, () => {
  it("chats, asks before a tool runs, and shows the same after a reload", async () => {
    const port = await freePort();
    await startNext({ port });
    const page = await openPage(`http://127.0.0.1:${port}/`);
    await say(page, "Two kilograms of apples, please.");
    await page.click("text=Approve");
    await page.getByText("They are on their way.").waitFor();
    await isReady(page);
    const said = [
      "Two kilograms of apples, please.",
      expect.stringMatching(/^order .*2 kg of apples are ordered\.\s+They are on their way\.$/s),
    ];
    expect(await shown(page)).toEqual(said);
    await page.locator("nav a", { hasText: "Two kilograms" }).waitFor();
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, "example-next.png") });

    await page.reload();
    expect(await shown(page)).toEqual(said);
    const stranger = await openPage(page.url());
    await stranger.locator("form").waitFor();
    expect(await shown(stranger)).toEqual([]);
  });

  it("goes on with a turn after the page was loaded again, and after the server was killed", async () => {
    const port = await freePort();
    const variables = { DATABASE_URL: (await createDatabase(inject("pgUrl"))).href };
    const first = await startNext({ port, variables });
    const page = await openPage(`http://127.0.0.1:${port}/`);
    await say(page, "Tell me a story.");
    await page.getByText("Apples, pears").waitFor();
    await page.reload();
    await page.getByText("Apples, pears").waitFor();

    await first.end("SIGKILL");
    await page.getByRole("alert").filter({ hasText: "Load the page again" }).waitFor();
    await startNext({ port, variables });
    await page.reload();
    // The new process takes the turn over when the lease of the killed one has ended.
    await expect
      .poll(async () => (await shown(page)).map((text) => text.trim()), { timeout: 60_000 })
      .toEqual(["Tell me a story.", STORY.trim()]);
    await isReady(page);
  });
});
