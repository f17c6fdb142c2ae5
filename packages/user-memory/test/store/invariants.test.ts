import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { userKeyOf } from "../../src/backend.ts";
import type { UserFact } from "../../src/fact.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";
import { readState } from "../../src/transaction/head-state.ts";

const USER = "ada";
const EVERY = { status: ["active", "quarantined", "superseded"] } as const;
const BASE = Date.UTC(2026, 0, 1);

const trust = fc.constantFrom("stated", "confirmed", "inferred", "external" as const);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const day = fc.integer({ min: 0, max: 20 }).map((days) => new Date(BASE + days * 86_400_000));

const operation = fc.oneof(
  fc.record({
    kind: fc.constant("remember" as const),
    fact: fc.constantFrom(
      "lives in Berlin",
      "Lives in Berlin.",
      "lives in Rome",
      "likes tea",
      "has a dog",
      "sees https://x.y",
    ),
    options: fc.record({
      trust,
      key: optional(fc.constantFrom("city", "drink")),
      tags: optional(fc.subarray(["a", "b"])),
      score: optional(fc.double({ min: 0, max: 1, noNaN: true })),
      validFrom: optional(day),
      validUntil: optional(day),
      provenance: fc.record({
        conversationId: optional(fc.constantFrom("c1", "c2")),
        position: optional(fc.nat(3)),
        extractor: optional(fc.constant("model")),
        saidAt: optional(day),
      }),
    }),
  }),
  fc.record({ kind: fc.constant("forget" as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant("approve" as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant("reject" as const), at: fc.nat(20) }),
  fc.record({
    kind: fc.constant("update" as const),
    at: fc.nat(20),
    fact: optional(fc.constantFrom("lives in Oslo", "likes coffee")),
  }),
);

function open() {
  const backend = createInMemoryUserMemoryBackend();
  return { backend, memory: defineUserMemory(backend) };
}

type Opened = ReturnType<typeof open>;

/** Refusals by the rules are expected. Other errors are defects. */
async function apply({ memory }: Opened, step: typeof operation extends fc.Arbitrary<infer T> ? T : never) {
  if (step.kind === "remember") {
    await memory.remember(USER, step.fact, step.options).catch((error: { code?: string }) => {
      if (error.code !== "forgotten" && error.code !== "full") throw error;
    });
    return;
  }
  const facts = await memory.list(USER, EVERY);
  const fact = facts[step.at % Math.max(1, facts.length)];
  if (fact === undefined) return;
  if (step.kind === "forget") await memory.forget(USER, fact.id);
  if (step.kind === "approve") await memory.review.approve(USER, fact.id);
  if (step.kind === "reject") await memory.review.reject(USER, fact.id);
  if (step.kind === "update") {
    await memory.update(USER, fact.id, { fact: step.fact }).catch((error: { code?: string }) => {
      if (error.code !== "invalid") throw error;
    });
  }
}

async function check({ memory, backend }: Opened): Promise<void> {
  const facts = await memory.list(USER, EVERY);
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  expect(await memory.verifyAudit(USER)).toMatchObject({ ok: true, facts: facts.length });
  for (const fact of facts) {
    expect(fact.status === "superseded").toBe(fact.supersededBy !== undefined);
    expect(fact.supersededBy === undefined).toBe(fact.supersededAt === undefined);
    // The superseding fact exists, and chains have no cycles.
    const seen = new Set<string>();
    for (
      let one: UserFact | undefined = fact;
      one?.supersededBy !== undefined;
      one = byId.get(one.supersededBy)
    ) {
      expect(seen.has(one.id)).toBe(false);
      expect(byId.has(one.supersededBy)).toBe(true);
      seen.add(one.id);
    }
    if (fact.trust === "external") expect(fact.status).toBe("quarantined");
    if (fact.validUntil !== undefined) expect(+fact.validUntil).toBeGreaterThan(+fact.validFrom);
  }
  const current = facts
    .filter(({ status }) => status !== "superseded")
    .map(({ fact }) => fact.toLowerCase().replace(/\.$/, ""));
  expect(new Set(current).size).toBe(current.length);
  const { head } = await backend.read(userKeyOf(USER), {});
  const untrusted = facts.filter(({ status, trust: of }) => status !== "quarantined" && of === "inferred");
  expect(readState(head)).toMatchObject({
    facts: facts.length,
    quarantined: facts.filter(({ status }) => status === "quarantined").length,
    untrusted: untrusted.length,
  });
  // Recalled facts are never quarantined.
  for (const fact of await memory.recall(USER, "lives Berlin Rome Oslo tea coffee dog", { limit: 100 })) {
    expect(fact.status).not.toBe("quarantined");
  }
}

describe("the rules of facts", () => {
  test("random calls keep the facts consistent and the audit trail valid", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (steps) => {
        const opened = open();
        for (const step of steps) await apply(opened, step);
        await check(opened);
      }),
      { numRuns: 150 },
    );
  });

  test("of the user's statements with one key, the one with the latest validFrom is current, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        async (days) => {
          const { memory } = open();
          for (const at of days) {
            const saidAt = new Date(BASE + at * 86_400_000);
            await memory.remember(USER, `lives in city ${at}`, { key: "city", provenance: { saidAt } });
          }
          const active = await memory.list(USER);
          expect(active.map(({ fact }) => fact)).toEqual([`lives in city ${Math.max(...days)}`]);
          // As of each day, the last statement before it.
          for (const at of days) {
            const asOf = new Date(BASE + at * 86_400_000 + 1);
            const then = await memory.recall(USER, "lives in city", { asOf });
            expect(then.map(({ fact }) => fact)).toEqual([`lives in city ${at}`]);
          }
          // Forgetting the newest fact makes the previous one current again.
          for (const at of [...days].sort((a, b) => b - a)) {
            const [current] = await memory.list(USER);
            expect(current?.fact).toBe(`lives in city ${at}`);
            await memory.forget(USER, current?.id ?? "");
          }
          expect(await memory.list(USER, EVERY)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
