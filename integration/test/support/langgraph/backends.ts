import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject } from "vitest";
import type { Address } from "./address.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

/** Returns the path of a new file, which is deleted after the current file's or group's tests. */
function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "jaf-langgraph-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "memory.db");
}

/** A new, empty place in each kind of store. Call `create` while tests are declared. */
export const addresses: readonly (readonly [name: string, create: () => Address])[] = [
  ["Redis", () => ({ type: "redis", url: inject("redisUrl"), keyPrefix: `test:${crypto.randomUUID()}:` })],
  [
    "Postgres",
    () => ({
      type: "postgres",
      connectionString: inject("pgUrl"),
      schema: `test_${crypto.randomUUID().replaceAll("-", "")}`,
    }),
  ],
  ["SQLite", () => ({ type: "sqlite", file: newFile() })],
];
