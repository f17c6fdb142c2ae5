import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import type { MemoryProviderHarness } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import { runRule } from "../../src/testing/kit/run-rule.ts";
import { endProcesses } from "../../src/testing/kit/second-process.ts";
import { type Rule, rulesOf } from "../../src/testing/kit/spec.ts";
import { specsFor } from "../../src/testing/specs/index.ts";
import { type Begin, openSqliteBackend } from "./sqlite/backend.ts";

const rules = specsFor({}).flatMap(rulesOf);

/** The rules about concurrent appends in one process, or with clients in two. */
const appendsIn = (processes: "one" | "two") =>
  rules.filter(
    ({ subject }) => subject === `concurrent appends${processes === "two" ? ", in two processes" : ""}`,
  );

const MOST_APPENDS = "keep all 640 batches of 32 writers whole and in order";

// The backend stores everything again with each write.
/** The rules that only make a few writes. */
const short = ({ title }: Rule): boolean => !/ 640 | sent twice /.test(title);

/** The second process is written in TypeScript, as an author would write it. */
const harnessWith = (begin: Begin): MemoryProviderHarness => ({
  name: `sqlite, ${begin}`,
  createStore: async () => {
    const folder = mkdtempSync(join(tmpdir(), "jaf-sqlite-"));
    const file = join(folder, "store.db");
    const open = async () => defineMemoryProvider(await openSqliteBackend({ file, begin }));
    const provider = await open();
    const process = {
      module: new URL("./sqlite/provider-process.ts", import.meta.url),
      argument: { file, begin },
      cwd: fileURLToPath(new URL("./sqlite", import.meta.url)),
    };
    const dispose = async () => {
      await provider.close();
      rmSync(folder, { recursive: true });
    };
    return { provider, connect: open, process, dispose };
  },
});

async function statusesOf(begin: Begin, applied: readonly Rule[]): Promise<Record<string, string>> {
  const harness = harnessWith(begin);
  const statuses: Record<string, string> = {};
  try {
    for (const rule of applied) statuses[rule.title] = (await runRule(harness, rule)).status;
  } finally {
    endProcesses(harness);
  }
  return statuses;
}

const allPassed = (applied: readonly Rule[]) =>
  Object.fromEntries(applied.map(({ title }) => [title, "passed"]));

describe("a SQLite file", () => {
  it("keeps the rules in two processes if each transaction begins with the lock for writing", async () => {
    const applied = appendsIn("two").filter(short);
    expect(applied.length).toBeGreaterThan(4);
    expect(await statusesOf("write", applied)).toEqual(allPassed(applied));
  });

  it("keeps them in one process if transactions only take the lock for their first write", async () => {
    const applied = appendsIn("one").filter(short);
    expect(await statusesOf("deferred", applied)).toEqual(allPassed(applied));
  });

  it("then breaks them in two processes", async () => {
    const applied = appendsIn("two").filter(({ title }) => title === MOST_APPENDS);
    expect(await statusesOf("deferred", applied)).toEqual({ [MOST_APPENDS]: "failed" });
  });
});
