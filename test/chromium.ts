import { existsSync } from "node:fs";
import { installWithoutAsking } from "./servers.ts";

const PROGRAMS = [
  ...["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
  ...["/Applications/Chromium.app/Contents/MacOS/Chromium"],
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const findChromium = (): string | undefined => PROGRAMS.find((program) => existsSync(program));

/** The program of a browser of this machine; installs it where that needs no question. */
export function requireChromium(): string {
  const found =
    findChromium() ??
    (installWithoutAsking({ apt: "chromium", brew: "chromium" }) ? findChromium() : undefined);
  if (found !== undefined) return found;
  throw new Error(
    "These tests need a browser. Install one: `sudo apt install chromium`, `brew install chromium`.",
  );
}

/** For a test's browser: without a window, and without what it would look up by itself. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];
