import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { checkMemoryProvider, levels, type TestStore } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { openIntact } from "./broken/broken.ts";

const createStore = async (): Promise<TestStore> => {
  const provider = openIntact();
  return { provider, dispose: async () => void (await provider.close()) };
};

describe("checkMemoryProvider", () => {
  it("reports on every rule, in a process without a test runner", async () => {
    const child = await bundleProcess(new URL("./report-child.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [child], { maxBuffer: 2 ** 24 });
    const reports: readonly Record<string, string>[] = JSON.parse(stdout);
    const failed = reports.find(({ rule }) => rule === "adds a batch at the end, in its order");
    expect(failed).toMatchObject({ level: "contract", subject: "appendMessages", status: "failed" });
    expect(failed?.["error"]).toContain("[contract] appendMessages: adds a batch at the end, in its order");
    expect(failed?.["error"]).toMatch(/Observed: +\[ '1', '2', '5', '4', '3', '6' \]/);
    expect(failed?.["error"]).toMatch(
      /After: +1\. storeMessages\('c', .*\): undefined\n +2\. appendMessages\('c', /,
    );
    const passed = reports.find(
      ({ rule }) => rule === "increases the version by one with each batch of any size",
    );
    expect(passed?.["status"]).toBe("passed");
    expect(new Set(reports.map(({ level }) => level))).toEqual(new Set(levels));
  });

  it("gives a reason for skipping: a level left out, a capability, and a missing ability of the harness", async () => {
    const reports = await checkMemoryProvider({
      name: "in-memory",
      levels: ["crash"],
      capabilities: { ttl: { unsupported: "it has no clock" } },
      createStore,
    });
    const reasons = (level: string) =>
      new Set(
        reports.flatMap((report) => (report.level === level && "reason" in report ? [report.reason] : [])),
      );
    expect(reports.every(({ status }) => status === "skipped")).toBe(true);
    expect(reasons("contract")).toEqual(new Set(["the harness leaves out the level contract"]));
    expect(reasons("crash")).toEqual(new Set(["the harness offers no crash()"]));
  });

  it("reports a missing capability", async () => {
    const unsupported = "it has no clock";
    const harness = { name: "in-memory", levels: ["ttl"] as const, createStore };
    const reports = await checkMemoryProvider({ ...harness, capabilities: { ttl: { unsupported } } });
    const ttl = reports.filter(({ level }) => level === "ttl");
    expect(ttl.length).toBeGreaterThan(0);
    for (const report of ttl)
      expect(report).toMatchObject({ status: "skipped", reason: `unsupported: ${unsupported}` });
  });

  it("reports a rule as failed if its store can't be created, and tears down", async () => {
    let tornDown = 0;
    const reports = await checkMemoryProvider({
      name: "unmakeable",
      levels: ["isolation"],
      createStore: () => Promise.reject(new Error("no such server")),
      tearDown: async () => {
        tornDown += 1;
      },
    });
    const isolation = reports.filter(({ level }) => level === "isolation");
    for (const report of isolation) {
      expect(report.status === "failed" && report.error.message).toContain("no such server");
    }
    expect(tornDown).toBe(1);
  });
});
