import { createJafClient } from "@jaf/server/client";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../../../test/chromium.ts";
import { fromSources, type Running, startDemo } from "../support/demo-process.ts";
import { openPage, type PageDriver } from "../support/page-driver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the page, for what comes later", { timeout: 120_000 }, () => {
  const folder = temporaryFolder();
  let demo: Running;
  let browser: Browser;
  let url: string;
  let driver: PageDriver;

  beforeAll(async () => {
    browser = await launchChromium();
    demo = startDemo(["page", "--no-open", "--data", folder.data], { program: fromSources });
    let out = "";
    demo.child.stdout?.on("data", (text: string) => {
      out += text;
    });
    await demo.printed(/The page is at http:\S+/);
    url = /http:\/\/\S+/.exec(out)?.[0] ?? "";
  }, 120_000);

  afterEach(async () => {
    const { strange } = driver;
    await driver.close();
    expect(strange).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    demo?.child.kill("SIGTERM");
    await demo?.finished;
    folder.remove();
  });

  it("sends a message while a reply runs, which waits until the turn takes it, and then is in its place", async () => {
    driver = await openPage(browser, url);
    const { page, say, replied } = driver;
    await say("Set a timer for 6 seconds");
    await page.getByRole("article", { name: "Tool timer: Running" }).waitFor();
    await say("What is 6 * 7?");
    await page.getByRole("article", { name: "You, waiting" }).getByText("What is 6 * 7?").waitFor();
    await page.getByRole("article", { name: "Tool calculator: Done" }).waitFor();
    expect(await page.getByRole("article", { name: "You, waiting" }).count()).toBe(0);
    expect(await replied()).toBe("6 * 7 = 42");
    const names = () =>
      page.getByRole("article").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    const inOrder = ["You", "Tool timer: Done", "You", "Tool calculator: Done", "Assistant"];
    expect(await names()).toEqual(inOrder);
    await page.reload();
    await page.getByText("6 * 7 = 42").last().waitFor();
    expect(await names()).toEqual(inOrder);
  });

  it("lists the reminders that the assistant sets, and cancels them", async () => {
    driver = await openPage(browser, url);
    const { page, say, replied } = driver;
    await say("Remind me in one minute to stretch");
    expect(await replied()).toBe("All right, I’ll remind you.");
    const reminders = page.getByRole("region", { name: "Reminders" });
    await reminders.getByText("stretch").waitFor();
    await say("Remind me every day at 9 to water the plants");
    await replied();
    await reminders.getByText(/^again and again, next /).waitFor();
    await reminders.getByLabel("Cancel “stretch”").click();
    await reminders.getByText("stretch").waitFor({ state: "detached" });
    await reminders.getByLabel("Cancel “water the plants”").click();
    await reminders.waitFor({ state: "detached" });
  });

  it("says what is wrong with the facts, and changes nothing before a remedy is chosen", async () => {
    const facts = [
      ...["Prefers dark mode in every editor", "In every editor, prefers dark mode"],
      ...["Is married", "Is not married", "ok thanks"],
    ];
    for (const fact of facts) {
      const { status } = await fetch(new URL("/api/facts", url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ fact }),
      });
      expect(status).toBe(200);
    }
    driver = await openPage(browser, url);
    const { page } = driver;
    await page.getByRole("link", { name: "What I know about you" }).click();
    const health = page.getByRole("region", { name: "Check-up of the facts" });
    await health.getByRole("button", { name: "Check my facts" }).click();
    await health.getByText("Said twice.").waitFor();
    await health.getByText("Contradiction.").waitFor();
    const known = page.getByRole("region", { name: "Known" });
    expect(await known.getByText("dark mode").count()).toBe(2);
    const repeated = health.getByRole("listitem").filter({ hasText: "Said twice." });
    await repeated.getByRole("button", { name: "Use only the kept one" }).click();
    await repeated.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Earlier" }).getByText("dark mode").waitFor();
    const junk = health.getByRole("listitem").filter({ hasText: "ok thanks" });
    await junk.getByRole("button", { name: "Forget" }).click();
    await junk.getByRole("button", { name: "Forget it permanently?" }).click();
    await junk.waitFor({ state: "detached" });
    await known.getByText("ok thanks").waitFor({ state: "detached" });
  });

  it("shows what a timer says as a reminder, without its tag, and the reply to it", async () => {
    driver = await openPage(browser, url);
    const { page, say, replied } = driver;
    await say("My name is Ada.");
    await replied();
    const conversationId = decodeURIComponent(new URL(page.url()).hash.replace("#/c/", ""));
    const client = createJafClient({ baseUrl: `${new URL(url).origin}/api` });
    await client.timers.set(conversationId, "tea", { message: "The tea is ready", at: new Date() });
    await page.getByText("Reminder: The tea is ready", { exact: true }).waitFor();
    await page.getByText("It’s time: The tea is ready").waitFor();
    expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);
    expect(await page.getByText("<timer>").count()).toBe(0);
  });

  it("runs a turn in the background, which the list shows and stops", async () => {
    driver = await openPage(browser, url);
    const { page } = driver;
    await page.getByLabel("Message", { exact: true }).fill("Set a timer for 120 seconds");
    await page.getByRole("button", { name: "Run in the background" }).click();
    await page.getByText("What is on your mind?").waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "Set a timer for 120 seconds" });
    await row.getByText("replying…").waitFor();
    await row.hover();
    await row.getByRole("button", { name: /^Stop/ }).click();
    await row.getByText("replying…").waitFor({ state: "detached" });
    await row.getByRole("link").click();
    await page.getByRole("article", { name: /^Tool timer/ }).waitFor();
    expect(await page.getByText("Thinking…").count()).toBe(0);
  });
});
