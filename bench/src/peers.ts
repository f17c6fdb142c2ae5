import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Message } from "@jaf/memory";
import { build } from "esbuild";

const folder = new URL("../peers/", import.meta.url).pathname;

/** Installs the peers on first use. Nothing else in the repository needs them. */
function install(): void {
  if (existsSync(join(folder, "node_modules/@xynehq/jaf/package.json"))) return;
  process.stderr.write("Installing the packages to compare with (first run only) …\n");
  const { status } = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if (status !== 0)
    throw new Error("The peers could not be installed: the benchmark needs the npm registry once.");
}

type PeerResult = Promise<{ readonly success: boolean; readonly data?: unknown; readonly error?: unknown }>;

/** What the benchmark calls of a memory provider of `@xynehq/jaf`. */
export interface PeerProvider {
  readonly storeMessages: (conversationId: string, messages: readonly Message[]) => PeerResult;
  readonly appendMessages: (conversationId: string, messages: readonly Message[]) => PeerResult;
  readonly getRecentMessages: (conversationId: string, limit: number) => PeerResult;
  readonly getConversation: (conversationId: string) => PeerResult;
}

export interface Xynehq {
  readonly run: unknown;
  /** The zod that its engine was built on. */
  readonly z: unknown;
  readonly createRedisProvider: (config: object, client: unknown) => Promise<PeerProvider>;
  readonly createPostgresProvider: (config: object, client: unknown) => Promise<PeerProvider>;
}

const ENTRY = `
  export { run } from "./node_modules/@xynehq/jaf/dist/core/engine.js";
  export { z } from "zod";
  export { createRedisProvider } from "./node_modules/@xynehq/jaf/dist/memory/providers/redis.js";
  export { createPostgresProvider } from "./node_modules/@xynehq/jaf/dist/memory/providers/postgres.js";`;

async function bundle(): Promise<Xynehq> {
  install();
  const outfile = join(folder, "node_modules/.cache/xynehq-jaf.mjs");
  await build({
    stdin: { contents: ENTRY, resolveDir: folder },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
    // Bundled CommonJS dependencies look for `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return import(pathToFileURL(outfile).href) as Promise<Xynehq>;
}

let loaded: Promise<Xynehq> | undefined;

/**
 * The engine and the memory providers of `@xynehq/jaf`. Its published files import each other without extensions,
 * which Node refuses, so they are bundled first.
 */
export function loadXynehq(): Promise<Xynehq> {
  loaded ??= bundle();
  return loaded;
}
