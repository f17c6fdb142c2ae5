import { afterEach, describe, expect, it, vi } from "vitest";
import type { TestStore } from "../../src/testing/index.ts";
import { runRule } from "../../src/testing/kit/run-rule.ts";
import { rulesOf } from "../../src/testing/kit/spec.ts";
import { specsFor } from "../../src/testing/specs/index.ts";
import { openIntact } from "./broken/broken.ts";
import { brokenChildErasures } from "./broken/child-erasures.ts";
import { brokenChildren } from "./broken/children.ts";
import { brokenClearing } from "./broken/clearing.ts";
import { brokenClocks, brokenSharedClocks } from "./broken/clocks.ts";
import { brokenCrashes } from "./broken/crashes.ts";
import { brokenDigests } from "./broken/digests.ts";
import { openDurable } from "./broken/durable.ts";
import { brokenExpiry } from "./broken/expiry.ts";
import { brokenFinds } from "./broken/finds.ts";
import { brokenIdentities } from "./broken/identities.ts";
import { brokenIsolation } from "./broken/isolation.ts";
import { brokenLimits } from "./broken/limits.ts";
import { brokenOutages, openStoppable } from "./broken/outages.ts";
import { brokenParts } from "./broken/parts.ts";
import { brokenProtocol } from "./broken/protocol.ts";
import { brokenReaders } from "./broken/readers.ts";
import { brokenWriters } from "./broken/writers.ts";

const rules = specsFor({}).flatMap(rulesOf);
const nameOf = ({ subject, title }: { readonly subject: string; readonly title: string }) =>
  `${subject}: ${title}`;

/** Applies one rule of the kit to a store. */
function apply(name: string, createStore: () => Promise<TestStore>) {
  const rule = rules.find((candidate) => nameOf(candidate) === name) ?? expect.fail(`no rule "${name}"`);
  return runRule({ name: "subject", createStore, callTimeoutMs: 2_000 }, rule);
}

const createIntact = (name: string) => async (): Promise<TestStore> => {
  if (/crash/.test(name)) return openDurable();
  if (/out of reach/.test(name)) return openStoppable();
  const provider = openIntact();
  const connect = /^several connections/.test(name) ? { connect: async () => ({ ...provider }) } : {};
  return { provider, ...connect, dispose: async () => void (await provider.close()) };
};

async function expectCaught(caughtBy: string, createStore: () => Promise<TestStore>) {
  const [intact, broken] = await Promise.all([
    apply(caughtBy, createIntact(caughtBy)),
    apply(caughtBy, createStore),
  ]);
  expect(intact).toEqual({ status: "passed" });
  const message = broken.status === "failed" ? broken.error.message : broken.status;
  expect(message).toContain(caughtBy);
  expect(message).toMatch(/^\[\w+\] .*\n {2}Matters: .*\n {2}Look at: .*adding-a-provider.*\n {2}Broken: /);
  return message;
}

const createBroken = (open: () => ReturnType<typeof openIntact>) => async (): Promise<TestStore> => {
  const provider = open();
  return { provider, dispose: async () => void (await provider.close()) };
};

const providers = {
  ...brokenWriters,
  ...brokenReaders,
  ...brokenLimits,
  ...brokenFinds,
  ...brokenClearing,
  ...brokenChildren,
  ...brokenChildErasures,
  ...brokenIdentities,
  ...brokenParts,
  ...brokenClocks,
  ...brokenDigests,
};
const stores = { ...brokenCrashes, ...brokenIsolation, ...brokenOutages, ...brokenSharedClocks };

const count = [providers, stores, brokenExpiry, brokenProtocol].reduce(
  (sum, all) => sum + Object.keys(all).length,
  0,
);

describe(`the conformance kit (${count} wrong backends) names the rule that is broken by a provider that`, () => {
  it.concurrent.each(Object.entries(providers))("%s", async (_, { open, caughtBy }) => {
    await expectCaught(caughtBy, createBroken(open));
  });

  it.concurrent.each(Object.entries(stores))("%s", async (_, { createStore, caughtBy }) => {
    await expectCaught(caughtBy, createStore);
  });

  it.concurrent.each(Object.entries(brokenProtocol))(
    "%s, and says so",
    async (_, { open, caughtBy, says }) => {
      expect(await expectCaught(caughtBy, createBroken(open))).toContain(says);
    },
  );
});

// Time passes by hand. On a busy machine, a real lifetime could end before the rule looks, and hide the mistake.
describe("the conformance kit names the rule about expiry that is broken by a provider that", () => {
  afterEach(() => void vi.useRealTimers());

  it.each(Object.entries(brokenExpiry))("%s", async (_, { open, caughtBy }) => {
    vi.useFakeTimers();
    const caught = expectCaught(caughtBy, createBroken(open));
    await Promise.all([caught, vi.advanceTimersByTimeAsync(10_000)]);
  });
});

/** The mistakes with the worst consequences for users, and the rule that must be named for each. */
const classic = {
  "a lost update": [
    brokenWriters["loses updates: append reads, then stores"],
    "[concurrency] concurrent appends: keep all 640 single messages of 32 writers",
  ],
  "a reordered batch": [
    brokenWriters["reorders a batch"],
    "[contract] appendMessages: adds a batch at the end, in its order",
  ],
  "a retry that writes again": [
    brokenWriters["writes again on a retry"],
    "[contract] options.idempotencyKey: turns a retry into a success that changes nothing",
  ],
  "shared mutable state": [
    brokenReaders["shares its state with its readers"],
    "[isolation] shared state: doesn't exist with the result of getConversation",
  ],
  "a leaking user": [
    brokenLimits["finds by trace for any owner"],
    "[isolation] other users: show nothing for any other condition of the query",
  ],
  "a throw instead of a Result": [
    brokenProtocol["throws instead of returning"],
    "[contract] getConversation: returns null for a conversation that was never stored",
  ],
} as const;

describe("the kit reports", () => {
  it.concurrent.each(Object.entries(classic))("%s by the rule it breaks", async (_, [broken, firstLine]) => {
    if (broken === undefined) return expect.fail("no such provider");
    const message = await expectCaught(broken.caughtBy, createBroken(broken.open));
    expect(message.split("\n")[0]).toBe(firstLine);
  });

  it("random operations with their seed, the shortest script and what each serial order would give", async () => {
    const broken = brokenWriters["loses updates of three clients"];
    if (broken === undefined) return expect.fail("no such provider");
    const message = await expectCaught(broken.caughtBy, createBroken(broken.open));
    expect(message).toMatch(/seed 1, shrunk from \d+ rounds to \d\b/);
    expect(message).toMatch(/round \d, at once\n +client 1: .*\) gave /);
    expect(message).toMatch(/each serial order .*\n +1, 2: at .*: expected .*, observed /);
  });
});

describe("a correct durable store whose writes settle without a turn of the event loop", () => {
  const crashRules = rules.filter(({ level }) => level === "crash");
  it.concurrent.each(crashRules.map(nameOf))("keeps the rule %s", async (name) => {
    const outcome = await apply(name, () => openDurable(() => ({}), { synchronous: true }));
    expect(outcome).toEqual({ status: "passed" });
  });
});

describe("the rules", () => {
  it("have unique names", () => {
    expect(new Set(rules.map(nameOf)).size).toBe(rules.length);
  });

  it("on crashes, sizes and neighbours are each broken by a provider above", () => {
    const caught = [providers, stores].flatMap((all) =>
      Object.values<{ readonly caughtBy: string }>(all).map(({ caughtBy }) => caughtBy),
    );
    const guarded = rules.filter(
      ({ level, subject }) =>
        level === "crash" ||
        /^(sizes|other |clearing |the time |children [^,]*$)|crash|out of reach|all together/.test(subject),
    );
    expect(guarded.map(nameOf).filter((name) => !caught.includes(name))).toEqual([]);
    expect(guarded.length).toBeGreaterThan(20);
  });
});
