import { createInMemoryProvider } from "@jaf/memory";
import {
  applyRemedies,
  examineUserMemory,
  type MemoryFinding,
  MemoryUserMemory,
  type UserMemoryStore,
} from "@jaf/user-memory";
import { describe, expect, it, vi } from "vitest";

const said = (day: string) => ({ provenance: { saidAt: new Date(day) } });

async function remembering(...facts: readonly string[]): Promise<UserMemoryStore> {
  const memory = new MemoryUserMemory();
  for (const fact of facts) await memory.remember("ada", fact);
  return memory;
}

const textsOf = ({ facts }: MemoryFinding) => facts.map(({ fact }) => fact);

describe("examineUserMemory", () => {
  it("finds nothing wrong with an empty memory", async () => {
    expect(await examineUserMemory(new MemoryUserMemory(), "ada")).toMatchObject({
      ...{ stored: 0, inUse: 0, junkRate: 0, findings: [], notExamined: ["unsupported", "unused"] },
    });
  });

  it.each([
    ["Anna loves Tom", "Tom loves Anna"],
    ["Flies from Rome to Oslo", "Flies from Oslo to Rome"],
    ["Worked at a bank in Rome", "Works at a bank in Rome"],
    ["Mother works as a nurse in Geneva", "Works as a nurse in Geneva"],
    ["Wants to see the film about Ada", "Used to want to see the film about Ada"],
  ])("takes neither %j nor %j for a duplicate", async (...facts) => {
    expect((await examineUserMemory(await remembering(...facts), "ada")).findings).toEqual([]);
  });

  it("says of each kind how many facts there are, and counts every fact once", async () => {
    const memory = await remembering("Vegan");
    await memory.remember("ada", "Lives in Rome", { key: "home" });
    await memory.remember("ada", "Lives in Oslo", { key: "home" });
    await memory.remember("ada", "I play the cello", { quotation: { from: "message" } });
    await memory.remember("ada", "Is an admin", { trust: "external" });
    await memory.remember("ada", "Plays golf", { trust: "inferred" });
    await memory.remember("ada", "Is on leave", {
      ...{ validFrom: new Date("2020-01-01"), validUntil: new Date("2020-02-01") },
    });
    const { kinds, stored, inUse } = await examineUserMemory(memory, "ada");
    expect(kinds).toEqual({
      ...{ stated: 2, confirmed: 0, inferred: 1, external: 0 },
      ...{ quotation: 1, quarantined: 1, superseded: 1, ended: 1 },
    });
    expect({ stored, inUse }).toEqual({ stored: 7, inUse: 4 });
  });

  it("is about the time of asOf", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember("ada", "Is flying to Lisbon next week", said("2025-03-10"));
    const stale = async (asOf?: Date) => (await examineUserMemory(memory, "ada", { asOf })).findings.length;
    expect(await stale()).toBe(1);
    // The fact was stored after this time.
    expect(await stale(new Date("2025-03-12"))).toBe(0);
    vi.useFakeTimers({ now: new Date("2025-03-10T12:00:00Z"), toFake: ["Date"] });
    try {
      const before = new MemoryUserMemory();
      await before.remember("ada", "Is flying to Lisbon next week");
      const at = async (day: string) =>
        (await examineUserMemory(before, "ada", { asOf: new Date(day) })).findings.length;
      expect([await at("2025-03-11"), await at("2025-03-20"), await at("2025-04-01")]).toEqual([0, 0, 1]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("asks the judge only about pairs that share a word, and proposes what it says", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember("ada", "Never travels by plane", said("2025-01-01"));
    await memory.remember("ada", "Takes the plane to Madrid every month", said("2025-02-01"));
    await memory.remember("ada", "Plays the cello", said("2025-03-01"));
    const judge = vi.fn(() => [true]);
    const { findings } = await examineUserMemory(memory, "ada", { judge });
    expect(judge).toHaveBeenCalledTimes(1);
    expect(findings).toMatchObject([{ kind: "contradiction", remedy: { action: "supersede" } }]);
    expect(findings.flatMap(textsOf)).toEqual([
      "Takes the plane to Madrid every month",
      "Never travels by plane",
    ]);
    await expect(examineUserMemory(memory, "ada", { judge: () => [] })).rejects.toMatchObject({
      code: "invalid",
    });
  });

  it("finds facts that were never used, if the application says so", async () => {
    vi.useFakeTimers({ now: new Date("2026-01-01"), toFake: ["Date"] });
    try {
      const memory = await remembering("Plays the cello", "Likes tea");
      const asOf = new Date("2026-09-01");
      const lastUsed = ({ fact }: { readonly fact: string }) => (fact === "Likes tea" ? new Date() : null);
      const { findings } = await examineUserMemory(memory, "ada", { asOf, lastUsed });
      expect(findings).toMatchObject([{ kind: "unused", remedy: { action: "ask" } }]);
      expect(findings.flatMap(textsOf)).toEqual(["Plays the cello"]);
      const early = await examineUserMemory(memory, "ada", { asOf: new Date("2026-02-01"), lastUsed });
      expect(early.findings).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("finds facts whose conversation or message is gone, also if another user has taken the id", async () => {
    const provider = createInMemoryProvider();
    const write = (id: string, userId: string) =>
      provider.appendMessages(
        id,
        [{ role: "user", content: "I play the cello" }],
        { userId },
        { createIfMissing: true },
      );
    await write("here", "ada");
    await write("foreign", "bob");
    const memory = await remembering("Stated without a source");
    for (const [fact, conversationId, position] of [
      ["I play the cello", "here", 0],
      ["I sing alto", "here", 7],
      ["I paint", "gone", 0],
      ["I knit", "foreign", 0],
      ["I sail", "here", undefined],
    ] as const)
      await memory.remember("ada", fact, {
        ...{ quotation: { from: "message" }, provenance: { conversationId, position } },
      });
    const { findings } = await examineUserMemory(memory, "ada", { provider });
    expect(findings.map(({ kind }) => kind)).toEqual(["unsupported", "unsupported", "unsupported"]);
    expect(findings.flatMap(textsOf).toSorted()).toEqual(["I knit", "I paint", "I sing alto"]);
  });

  it("asks about a fact that waits because it contradicts the user", async () => {
    const memory = await remembering();
    await memory.remember("ada", "Lives in Oslo", { key: "home" });
    await memory.remember("ada", "Rents a flat in Rome", { key: "home", trust: "inferred" });
    const { findings } = await examineUserMemory(memory, "ada");
    expect(findings).toMatchObject([{ kind: "contradiction", remedy: { action: "ask" } }]);
    expect(await applyRemedies(memory, "ada", findings)).toMatchObject([{ outcome: "answer-needed" }]);
  });

  it("keeps the user's own word, and asks rather than lose it", async () => {
    const memory = await remembering("Lives in Oslo with Tom");
    await memory.remember("ada", "Lives in Oslo with Tom and Pixel", { trust: "inferred" });
    await memory.remember("ada", "Works at Siemens", said("2025-01-01"));
    await memory.remember("ada", "Works at Bosch", { ...said("2025-02-01"), trust: "inferred" });
    const { findings } = await examineUserMemory(memory, "ada");
    expect(findings.map(({ kind, remedy }) => [kind, remedy.action])).toEqual([
      ["contradiction", "ask"],
      ["duplicate", "ask"],
    ]);
  });

  it.each([
    [{ asOf: new Date(Number.NaN) }],
    [{ asOf: "2026-01-01" }],
    [{ judge: true }],
    [{ lastUsed: 1 }],
    [{ provider: "redis" }],
    [{ unknown: true }],
  ])("refuses the options %j", async (options) => {
    const examined = examineUserMemory(new MemoryUserMemory(), "ada", options as never);
    await expect(examined).rejects.toMatchObject({ code: "invalid", operation: "examineUserMemory" });
  });

  it("survives hostile texts and ids, in reasonable time", async () => {
    const texts = [
      ...["will be ", "is ", "my a ", "on monday ", "in a couple of ", "user is ", "1 ", "not "],
      ...["\u0301", "𝒳", "東", "'", "ed ", "$& ", "__proto__ constructor ", "\\u0000 ", "}{"],
    ].map((part) => part.repeat(Math.floor(1_900 / part.length)));
    for (const userId of ["__proto__", "*:{}", "%", "x".repeat(255)]) {
      const memory = new MemoryUserMemory();
      for (const text of texts) {
        await memory.remember(userId, text);
        await memory.remember(userId, `${text} and more`);
      }
      const { stored } = await examineUserMemory(memory, userId);
      expect(stored).toBeGreaterThan(texts.length);
    }
    await expect(examineUserMemory(new MemoryUserMemory(), "")).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("applyRemedies", () => {
  it("merges duplicates with their tags, and can be repeated", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember("ada", "Prefers dark mode in every editor", { tags: ["a"] });
    await memory.remember("ada", "In every editor, prefers dark mode", { tags: ["b"] });
    const { findings } = await examineUserMemory(memory, "ada");
    expect(findings).toMatchObject([{ kind: "duplicate", remedy: { action: "merge" } }]);
    expect(await memory.recall("ada", "dark mode")).toHaveLength(2);
    expect(await applyRemedies(memory, "ada", findings)).toMatchObject([{ outcome: "applied" }]);
    const [kept, ...others] = await memory.recall("ada", "dark mode");
    expect([kept?.tags, others]).toEqual([["b", "a"], []]);
    expect(await applyRemedies(memory, "ada", findings)).toMatchObject([{ outcome: "in-effect" }]);
    expect((await examineUserMemory(memory, "ada")).findings).toEqual([]);
    expect(await memory.list("ada")).toHaveLength(2);
    expect(await memory.verifyAudit("ada")).toMatchObject({ problems: [] });
  });

  it("ends an older value when the newer one began to be true", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember("ada", "Lives in Rome", said("2025-01-01"));
    await memory.remember("ada", "Lives in Oslo now", said("2025-06-01"));
    const { findings } = await examineUserMemory(memory, "ada");
    await applyRemedies(memory, "ada", findings);
    const recalled = async (asOf?: Date) =>
      (await memory.recall("ada", "Where does she live?", { asOf })).map(({ fact }) => fact);
    expect(await recalled()).toEqual(["Lives in Oslo now"]);
    expect(await recalled(new Date("2025-03-01"))).toEqual(["Lives in Rome"]);
  });

  it("forgets only what was chosen, and nothing of another user", async () => {
    const memory = await remembering("ok thanks", "Hi there!", "Plays the cello");
    await memory.remember("bob", "ok thanks");
    const { findings } = await examineUserMemory(memory, "ada");
    expect(findings).toHaveLength(2);
    const chosen = findings.filter((finding) => textsOf(finding).includes("ok thanks"));
    expect(await applyRemedies(memory, "bob", chosen)).toMatchObject([{ outcome: "in-effect" }]);
    expect(await memory.list("bob")).toHaveLength(1);
    expect(await applyRemedies(memory, "ada", chosen)).toMatchObject([{ outcome: "applied" }]);
    expect((await memory.list("ada")).map(({ fact }) => fact)).toEqual(["Plays the cello", "Hi there!"]);
    expect(await applyRemedies(memory, "ada", chosen)).toMatchObject([{ outcome: "in-effect" }]);
  });

  it("leaves a finding alone if one of its facts has changed since", async () => {
    const memory = await remembering(
      "Prefers dark mode in every editor",
      "In every editor, prefers dark mode",
    );
    const { findings } = await examineUserMemory(memory, "ada");
    const [fact] = await memory.list("ada");
    await memory.update("ada", fact?.id ?? "", { fact: "Prefers light mode" });
    expect(await applyRemedies(memory, "ada", findings)).toMatchObject([{ outcome: "changed" }]);
    expect(await memory.recall("ada", "mode")).toHaveLength(2);
    await memory.forgetAll("ada");
    expect(await applyRemedies(memory, "ada", findings)).toMatchObject([{ outcome: "changed" }]);
  });

  it("applies a remedy once if two processes apply it at the same time", async () => {
    const memory = await remembering(
      "Prefers dark mode in every editor",
      "In every editor, prefers dark mode",
    );
    const { findings } = await examineUserMemory(memory, "ada");
    await Promise.all([applyRemedies(memory, "ada", findings), applyRemedies(memory, "ada", findings)]);
    expect(await memory.recall("ada", "mode")).toHaveLength(1);
  });
});
