import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { findFolder, installWithoutAsking } from "./servers.ts";

const FOLDERS = [
  "/usr/bin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/Applications/Chromium.app/Contents/MacOS",
];
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "Chromium"];

function findChromium(): string | undefined {
  for (const program of PROGRAMS) {
    const folder = findFolder(program, FOLDERS);
    if (folder !== undefined) return join(folder, program);
  }
  return undefined;
}

/** Returns the machine's Chromium, or that of `TEST_CHROMIUM`. Installs one if no password is needed. */
function requireChromium(): string {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
  const found = process.env["TEST_CHROMIUM"] ?? findChromium();
  if (found !== undefined) return found;
  const installed = installWithoutAsking({ apt: "chromium", brew: "chromium" }) ? findChromium() : undefined;
  if (installed !== undefined) return installed;
  throw new Error(
    "These tests need Chromium. Install one (`sudo apt install chromium`, `brew install chromium`), or set TEST_CHROMIUM to its path.",
  );
}

/** Starts a headless browser without background requests. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: requireChromium(),
    timeout: 60_000,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
