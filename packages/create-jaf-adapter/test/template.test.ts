import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import {
  checkMemoryProvider,
  type MemoryProviderHarness,
  type RuleReport,
  type TestStore,
} from "@jaf/memory/testing";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { openMyStoreBackend as openUnwritten } from "../template/src/backend.ts";
import { harness } from "../template/test/harness.ts";
import { openMyStoreBackend as openWritten } from "./filled/backend.ts";

/** The functions in the order in which the template asks for them. */
const ORDER = ["ping", "close", "write", "read", "stats", "find", "delete", "clearUser"] as const;

const UNWRITTEN = /^Not written yet: `(\w+)` in src\/backend\.ts\.\n {2}Needed by: \[\w+\] .+\n {2}Rules: /;

let locations = 0;

/** The template's harness, with the first `count` functions written. */
function harnessWith(count: number): MemoryProviderHarness {
  const written = ORDER.slice(0, count);
  return {
    ...harness,
    createStore: async () => {
      locations += 1;
      const options = { type: "my-store", location: String(locations) } as const;
      const open = async () => {
        const [unwritten, all] = await Promise.all([openUnwritten(options), openWritten(options)]);
        const some = Object.fromEntries(written.map((name) => [name, all[name]]));
        return defineMemoryProvider({ ...unwritten, ...some } satisfies MemoryBackend);
      };
      const provider = await open();
      return { provider, connect: open, dispose: async () => void (await provider.close()) };
    },
  };
}

// The second process would load the built packages.
/** Creates a store of the template's harness, without its second process. */
async function createInOneProcess(): Promise<TestStore> {
  const { process: _process, ...store } = await harness.createStore();
  return store;
}

/** The functions that the failures name, in the order of the report. Every failure has to name one. */
const namedBy = (reports: readonly RuleReport[]): readonly (string | undefined)[] =>
  reports.flatMap((report) =>
    report.status === "failed" ? [UNWRITTEN.exec(report.error.message)?.[1] ?? report.error.message] : [],
  );

const passedOf = (reports: readonly RuleReport[]): number =>
  reports.filter(({ status }) => status === "passed").length;

describe("the template", () => {
  it("fails in the whole kit once for each function, in seconds", async () => {
    // The kit disposes of no store whose second connection fails to close.
    const folder = mkdtempSync(join(tmpdir(), "create-jaf-adapter-"));
    for (const variable of ["TMPDIR", "TEMP"]) vi.stubEnv(variable, folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });
    const reports = await checkMemoryProvider({ ...harness, createStore: createInOneProcess });
    expect([...namedBy(reports)].sort()).toEqual([...ORDER].sort());
    const waiting = reports.filter(
      (report) => report.status === "skipped" && report.reason.startsWith("not written yet: "),
    );
    expect(waiting.length).toBeGreaterThan(250);
  });

  it("names the next function first, and more rules pass with each one", async () => {
    let before = -1;
    for (const [count, next] of ORDER.entries()) {
      const reports = await checkMemoryProvider({
        ...harnessWith(count),
        rules: "smoke",
        levels: ["contract"],
      });
      expect(namedBy(reports)[0]).toBe(next);
      // Nothing can be tested with `write` alone.
      if (next !== "read") expect(passedOf(reports)).toBeGreaterThan(before);
      before = passedOf(reports);
    }
  });
});

test("all rules pass once the functions are written, and the reasons for skipping are known", async () => {
  const reports = await checkMemoryProvider(harnessWith(ORDER.length));
  expect(namedBy(reports)).toEqual([]);
  expect(passedOf(reports)).toBeGreaterThan(300);
  const reasons = reports.flatMap((report) => (report.status === "skipped" ? [report.reason] : []));
  expect(new Set(reasons)).toEqual(
    new Set([
      "unsupported: it stores no digests yet",
      "the harness offers no crash()",
      "the harness offers no stop()",
      "the harness offers no `process`, so nothing tests two processes at once",
    ]),
  );
});
