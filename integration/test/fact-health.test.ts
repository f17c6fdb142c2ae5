import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "@jaf/mcp-memory";
import { applyRemedies, examineUserMemory, MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { plant, planted } from "../../packages/user-memory/test/health/planted.ts";
import { createDatabase } from "./support/examples/database.ts";

const addresses: Readonly<Record<string, () => Promise<string>>> = {
  "a SQLite file": async () => {
    const folder = await mkdtemp(join(tmpdir(), "jaf-fact-health-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    return `file:${join(folder, "memory.db")}`;
  },
  Redis: async () => inject("redisUrl"),
  Postgres: async () => (await createDatabase(inject("pgUrl"))).href,
};

async function open(url: string) {
  const { memory, close } = await openStores(url);
  onTestFinished(close);
  return memory;
}

describe.each(Object.entries(addresses))("facts on %s", (_, addressOf) => {
  it("are examined as in memory, and cleaned up by two processes at once", async () => {
    const url = await addressOf();
    const [memory, second] = [await open(url), await open(url)];
    const [user, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const groups = planted.development.filter((_, index) => index % 3 === 0);
    const local = new MemoryUserMemory();
    for (const store of [memory, local]) await plant(store, user, groups);
    await memory.remember(other, "ok thanks");

    const report = await examineUserMemory(memory, user);
    const expected = await examineUserMemory(local, user);
    const shown = ({ findings, kinds, junkRate }: typeof report) => ({
      ...{ kinds, junkRate },
      findings: findings
        .map(({ kind, facts, remedy }) => [kind, remedy.action, ...facts.map(({ fact }) => fact)].join(" | "))
        .toSorted(),
    });
    expect(shown(report)).toEqual(shown(expected));
    expect(await examineUserMemory(second, user, { asOf: report.asOf })).toEqual(report);

    const [first, again] = await Promise.all([
      applyRemedies(memory, user, report.findings),
      applyRemedies(second, user, report.findings),
    ]);
    const asks = report.findings.filter(({ remedy }) => remedy.action === "ask").length;
    for (const applied of [first, again])
      expect(applied.filter(({ outcome }) => outcome === "answer-needed")).toHaveLength(asks);
    const after = await examineUserMemory(second, user);
    expect(after.junkRate).toBe(0);
    expect(after.inUse).toBe(report.inUse - Math.round(report.junkRate * report.inUse));
    expect(await memory.verifyAudit(user)).toMatchObject({ ok: true });
    expect((await memory.list(other)).map(({ fact }) => fact)).toEqual(["ok thanks"]);
  });
});
