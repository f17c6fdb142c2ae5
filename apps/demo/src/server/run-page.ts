import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "../arguments.ts";
import { chooseModel } from "../assistant/choose-model.ts";
import type { ExitRequest } from "../exit.ts";
import type { OpenedStore } from "../storage/open-store.ts";
import { buildPage } from "./build-page.ts";
import type { PageContext } from "./page-assistant.ts";
import { servePage } from "./serve-page.ts";
import { type Listening, supervise } from "./supervise.ts";

const WORD_DELAY_MS = 25;

type Of<Name extends Command["command"]> = Extract<Command, { readonly command: Name }>;

/** Builds the page and keeps its server running. Returns the exit code. */
export async function runPage(command: Of<"page">, exit: ExitRequest): Promise<number> {
  const { data, user, budget, opensBrowser } = command;
  await buildPage(); // Once, not in each restarted process.
  const code = await supervise({
    program: ({ port = command.port }) => [
      ...process.execArgv,
      process.argv[1] ?? "",
      ...["serve", "--data", data, "--user", user],
      ...(port === undefined ? [] : ["--port", String(port)]),
      ...(budget === undefined ? [] : ["--budget", String(budget)]),
    ],
    signal: exit.signal,
    onFirst: (url) => {
      console.log(
        `\nThe page is at ${url}\nCtrl-C ends it; everything is kept. Then, in the terminal: demo chat`,
      );
      if (opensBrowser) openBrowser(url);
    },
    onRestart: () => console.log("The server was killed. A new one continues."),
  });
  return exit.signal.aborted ? exit.exitCode() : code;
}

/** Serves until the user or the parent process exits. Returns the exit code. */
export async function runServe(store: OpenedStore, command: Of<"serve">, exit: ExitRequest): Promise<number> {
  const { user, port, budget } = command;
  const supervised = process.send !== undefined;
  const model = chooseModel<PageContext>(process.env, { wordDelayMs: WORD_DELAY_MS });
  const page = await buildPage();
  const served = await servePage({ store, userId: user, model, page, port, budget, supervised });
  if (supervised) {
    const told: Listening = { listening: served.url };
    process.send?.(told);
    process.on("disconnect", exit.leave);
  } else console.log(`The page is at ${served.url}`);
  try {
    await left(exit.signal);
  } finally {
    await served.close();
  }
  return supervised ? 0 : exit.exitCode();
}

const FOREVER_MS = 2 ** 31 - 1;

const left = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) await sleep(FOREVER_MS, undefined, { signal }).catch(() => {});
};

/** Opens the URL in the user's browser, if there is one. The URL is printed anyway. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] =
    platform === "darwin"
      ? ["open", url]
      : platform === "win32"
        ? ["cmd", "/c", "start", "", url]
        : ["xdg-open", url];
  if (command === undefined) return;
  try {
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    child.on("error", () => {}); // The program doesn't exist.
    child.unref();
  } catch {
    // The system can't start processes.
  }
}
