import { setTimeout as sleep } from "node:timers/promises";
import type { TestStore } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import type { VersionedMemoryProvider } from "../../src/index.ts";
import { runRule } from "../../src/testing/kit/run-rule.ts";
import { type Rule, rulesOf, type Scenario } from "../../src/testing/kit/spec.ts";
import { specsFor } from "../../src/testing/specs/index.ts";
import { openIntact } from "./broken/broken.ts";
import { openDurable } from "./broken/durable.ts";

const rules = specsFor({}).flatMap(rulesOf);

const ruleOf = (check: Rule["check"]): Rule => ({
  level: "contract",
  subject: "endings",
  title: "ends",
  why: "It would go on for ever.",
  hint: "The kit.",
  check,
});

const ruleNamed = (title: string): Rule =>
  rules.find((rule) => rule.title === title) ?? expect.fail(`no rule "${title}"`);

/** A store that counts its calls. */
function createCounted(overrides: Partial<VersionedMemoryProvider> = {}) {
  const intact = openIntact();
  let calls = 0;
  const counted = Object.fromEntries(
    Object.entries({ ...intact, ...overrides }).map(([name, method]) => [
      name,
      (...given: readonly unknown[]) => {
        calls += 1;
        return Reflect.apply(method, intact, given);
      },
    ]),
  ) as unknown as VersionedMemoryProvider;
  const createStore = async (): Promise<TestStore> => ({ provider: counted, dispose: async () => {} });
  return { createStore, calls: () => calls };
}

describe("a rule that is over", () => {
  it("makes no more calls, even if it left some running", async () => {
    const { createStore, calls } = createCounted();
    let thrown: unknown;
    const check = async ({ provider }: Scenario) => {
      const runOn = async () => {
        for (;;) {
          await provider.getStats();
          await sleep(1);
        }
      };
      void runOn().catch((error: unknown) => {
        thrown = error;
      });
      await sleep(5);
    };
    expect(await runRule({ name: "counted", createStore }, ruleOf(check))).toEqual({ status: "passed" });
    const made = calls();
    await expect.poll(() => thrown).toMatchObject({ message: expect.stringContaining("after the rule") });
    expect(calls()).toBe(made);
  });

  it("opens nothing more, and closes what was being opened", async () => {
    let closed = 0;
    let opened = () => {};
    const opening = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const intact = openIntact();
    const createStore = async (): Promise<TestStore> => ({
      provider: intact,
      connect: async () => {
        await opening;
        const close: VersionedMemoryProvider["close"] = () => {
          closed += 1;
          return intact.close();
        };
        return { ...intact, close };
      },
      dispose: async () => {},
    });
    let pending: Promise<unknown> = Promise.resolve();
    let late = (): Promise<unknown> => Promise.resolve();
    const check = async ({ connect }: Scenario) => {
      pending = connect().catch((error: unknown) => error);
      late = connect;
    };
    await runRule({ name: "slow to connect", createStore }, ruleOf(check));
    opened();
    expect(await pending).toMatchObject({ message: "the rule is over" });
    expect(closed).toBe(1);
    await expect(late()).rejects.toThrow("the rule is over");
  });

  it("stops the readers of a race if the writer fails", async () => {
    const { createStore, calls } = createCounted({
      appendMessages: () => {
        throw new RangeError("no such column");
      },
    });
    const outcome = await runRule(
      { name: "counted", createStore },
      ruleNamed("of reads and appends show no half batch"),
    );
    expect(outcome).toMatchObject({ status: "failed" });
    await sleep(20);
    const made = calls();
    await sleep(20);
    expect(calls()).toBe(made);
  });
});

describe("an ability of the harness that is undefined", () => {
  const cases = [
    ["connect", "see another one's writes immediately"],
    ["crash", "versions continue"],
    ["stop", "is not healthy, and healthCheck returns the reason"],
  ] as const;

  it.each(cases)("%s counts as missing", async (name, title) => {
    // As JavaScript callers and loose compilers can pass it.
    const createStore = async () => ({ ...(await openDurable()), [name]: undefined }) as unknown as TestStore;
    expect(await runRule({ name: "loose", createStore }, ruleNamed(title))).toEqual({
      status: "skipped",
      reason: `the harness offers no ${name}()`,
    });
  });
});
