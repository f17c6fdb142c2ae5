import {
  createInMemoryBackend,
  defineMemoryProvider,
  type MemoryBackend,
  notWritten,
} from "@jaf/memory/adapter";
import { checkMemoryProvider, type MemoryProviderHarness, type TestStore } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import { runRule } from "../../src/testing/kit/run-rule.ts";
import type { Rule } from "../../src/testing/kit/spec.ts";

/** A harness for the in-memory backend without some of its functions. */
function harnessWithout(...names: readonly (keyof MemoryBackend)[]): MemoryProviderHarness {
  const createStore = async (): Promise<TestStore> => {
    const missing = names.map((name) => [name, async () => notWritten(`\`${name}\` in src/backend.ts`)]);
    const backend = { ...createInMemoryBackend(), ...Object.fromEntries(missing) };
    const provider = defineMemoryProvider(backend);
    return { provider, dispose: async () => void (await provider.close()) };
  };
  return { name: "unfinished", rules: "smoke", levels: ["contract"], createStore };
}

const ruleOf = (check: Rule["check"]): Rule => ({
  level: "contract",
  subject: "statistics",
  title: "are read",
  why: "It would pass.",
  hint: "The kit.",
  check,
});

describe("a function that isn't written", () => {
  it("makes its provider's call fail with an error that names it", async () => {
    const { provider } = await harnessWithout("stats", "ping").createStore();
    expect(await provider.getStats()).toMatchObject({
      success: false,
      error: {
        _tag: "MemoryStorageError",
        message: expect.stringContaining("not written yet: `stats` in src/"),
      },
    });
    expect(await provider.healthCheck()).toMatchObject({
      success: false,
      error: { operation: "healthCheck" },
    });
  });

  it("fails one rule of the kit, for which the others wait", async () => {
    const reports = await checkMemoryProvider(harnessWithout("stats", "delete"));
    const messages = reports.flatMap((report) => (report.status === "failed" ? [report.error.message] : []));
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatch(
      /^Not written yet: `stats` in src\/backend\.ts\.\n {2}Needed by: \[contract\] storeMessages: .*\n {2}Rules: {5}node_modules\/@jaf\/memory\/docs\/adding-a-provider\.md#the-backend$/,
    );
    const reasons = reports.flatMap((report) => (report.status === "skipped" ? [report.reason] : []));
    expect(reasons).toContain("not written yet: `stats` in src/backend.ts");
    expect(reports.some(({ status }) => status === "passed")).toBe(true);
  });

  it("fails a rule that would pass in spite of it", async () => {
    const check: Rule["check"] = async ({ provider }) => void (await provider.getStats().catch(() => {}));
    const outcome = await runRule(harnessWithout("stats"), ruleOf(check));
    expect(outcome).toMatchObject({ status: "failed", error: { unwritten: "`stats` in src/backend.ts" } });
  });

  it("doesn't hide why else a rule fails", async () => {
    const check = () => Promise.reject(new Error("the versions differ"));
    const outcome = await runRule(harnessWithout("close"), ruleOf(check));
    expect(outcome.status === "failed" && outcome.error.message).toContain("the versions differ");
  });
});
