import { connect } from "node:net";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { defineMemoryProvider } from "../../src/adapter.ts";
import type { MemoryProviderHarness, TestStore } from "../../src/testing/index.ts";
import { runRule } from "../../src/testing/kit/run-rule.ts";
import { endProcesses } from "../../src/testing/kit/second-process.ts";
import { rulesOf } from "../../src/testing/kit/spec.ts";
import { specsFor } from "../../src/testing/specs/index.ts";
import { openIntactBackend } from "../testing/broken/backend.ts";
import { brokenProcesses } from "../testing/broken-processes/processes.ts";
import type { StorageAddress } from "../testing/broken-processes/provider-process.ts";
import { reachStorage, startStorages } from "../testing/broken-processes/storage-server.ts";

const rules = specsFor({ seeds: [1], rounds: 6 }).flatMap(rulesOf);
const twoProcessRules = rules.filter(({ needs }) => needs?.includes("process"));
/** Without those that run hundreds of combinations on one connection, because they take long. */
const withinOneProcess = rules.filter(
  ({ level, subject, title, needs }) =>
    ["contract", "isolation", "concurrency"].includes(level) &&
    needs === undefined &&
    !/every small history|all together/.test(subject) &&
    !/every range|640/.test(title),
);
const nameOf = ({ subject, title }: (typeof rules)[number]) => `${subject}: ${title}`;

const module = pathToFileURL(
  await bundleProcess(new URL("../testing/broken-processes/provider-process.ts", import.meta.url)),
);

let storages: Awaited<ReturnType<typeof startStorages>>;

/** A storage of this process, which the other one reaches through a socket; each with its own layer. */
async function createStore(broken?: string): Promise<TestStore> {
  const store = crypto.randomUUID();
  // As remote as for the other process.
  const storage = reachStorage(connect(storages.port, "127.0.0.1"), store);
  const layer = broken === undefined ? {} : brokenProcesses[broken]?.layer(storage, store);
  const backend = { ...storage, ...layer, close: async () => {} };
  const argument: StorageAddress = {
    port: storages.port,
    store,
    ...(broken === undefined ? {} : { broken }),
  };
  return {
    provider: defineMemoryProvider(backend),
    connect: async () => defineMemoryProvider(backend),
    process: { module, argument },
    dispose: async () => {
      await storage.close();
      storages.drop(store);
    },
  };
}

/** Within one process. */
async function createOwnStore(broken: string): Promise<TestStore> {
  const storage = openIntactBackend();
  const layer = brokenProcesses[broken]?.layer(storage, crypto.randomUUID());
  const open = () => defineMemoryProvider({ ...storage, ...layer, close: async () => {} });
  return { provider: open(), connect: async () => open(), dispose: () => storage.close() };
}

/** The layer of its stores, set before each rule: one process serves them all. */
let current: string | undefined;
const harness: MemoryProviderHarness = { name: "two processes", createStore: () => createStore(current) };

beforeAll(async () => {
  storages = await startStorages();
});

afterAll(() => {
  endProcesses(harness);
  storages.stop();
});

describe("an intact store, reached from two processes,", () => {
  it.each(twoProcessRules.map((rule) => [nameOf(rule), rule] as const))(
    "keeps the rule %s",
    async (_, rule) => {
      current = undefined;
      expect(await runRule(harness, rule)).toEqual({ status: "passed" });
    },
  );
});

describe(`a store that is wrong only across processes (${Object.keys(brokenProcesses).length} of them)`, () => {
  it.each(Object.entries(brokenProcesses))(
    "is caught by the rule that it breaks: %s",
    async (name, { caughtBy }) => {
      current = name;
      const rule =
        rules.find((candidate) => nameOf(candidate) === caughtBy) ?? expect.fail(`no rule "${caughtBy}"`);
      // Two processes collide in nearly every run of a rule, but on a busy machine one may finish first.
      let outcome = await runRule(harness, rule);
      for (let again = 0; again < 4 && outcome.status !== "failed"; again++)
        outcome = await runRule(harness, rule);
      expect(outcome.status === "failed" ? outcome.error.message : outcome.status).toContain(caughtBy);
    },
  );

  it.each(Object.keys(brokenProcesses))(
    "keeps the rules within one process: %s",
    { timeout: 120_000 },
    async (name) => {
      const within = { name, createStore: () => createOwnStore(name) };
      for (const rule of withinOneProcess) {
        const outcome = await runRule(within, rule);
        expect(outcome.status === "failed" ? outcome.error.message : outcome.status).toBe("passed");
      }
    },
  );
});
