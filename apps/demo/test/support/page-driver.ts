import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

const STEP_MS = 20_000;

/** Uses a page of the demo like a person. Every step has a time limit. */
export interface PageDriver {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The browser's requests to other servers, and its errors. */
  readonly strange: readonly string[];
  readonly say: (text: string) => Promise<void>;
  /** Waits until the reply is complete, and returns it. */
  readonly replied: () => Promise<string>;
  readonly replies: () => Promise<readonly string[]>;
  readonly newConversation: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Another tab of the same browser. */
  readonly beside?: BrowserContext;
}

export async function openPage(
  browser: Browser,
  url: string,
  { beside, ...options }: OpenOptions = {},
): Promise<PageDriver> {
  const context =
    beside ?? (await browser.newContext({ viewport: { width: 1_200, height: 800 }, ...options }));
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  const origin = new URL(url).origin;
  const strange: string[] = [];
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(asked))
      strange.push(`asked for ${asked}`);
  });
  page.on("pageerror", (error) => strange.push(`threw ${error.message}`));
  page.on("dialog", (dialog) => {
    strange.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);

  const replies = async () =>
    (await page.getByRole("article", { name: "Assistant" }).locator(".markdown").allInnerTexts()).filter(
      (text) => text !== "",
    );
  return {
    page,
    context,
    strange,
    replies,
    say: async (text) => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.keyboard.press("Enter");
    },
    replied: async () => {
      await expect.poll(() => page.getByLabel("Stop the reply").count(), { timeout: STEP_MS }).toBe(0);
      // The stored message has replaced the streamed one.
      await page.getByText("What the model saw").last().waitFor();
      return (await replies()).at(-1) ?? "";
    },
    newConversation: async () => {
      await page.getByRole("link", { name: "New conversation" }).first().click();
      await page.getByText("What is on your mind?").waitFor();
    },
    close: () => (beside === undefined ? context.close() : page.close()),
  };
}
