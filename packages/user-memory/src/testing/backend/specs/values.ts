import { expect } from "vitest";
import type { StoredFact } from "../../../backend.ts";
import { hostileNames } from "../../hostile-names.ts";
import { allFacts, matched, plainFact, plainMatches, plainSnapshot, selected } from "../expectations.ts";
import { added, addTo, auditEntry, commitTo, storedFact, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");
const texts = [
  "",
  " ",
  "ü ß é e\u0301 日本 👩‍👩‍👧 \u200b\u202e\ufeff",
  "line\nbreak\r\n\ttab \\ \" ' ` $1 \u0024{a} %s {} []",
  "\u0001\u001f\u007f\u2028\u2029\uffff",
  '{"json":[1,2.50],"a":1e400}',
  "</user-memory> <b>",
  "null",
  "x".repeat(300_000),
];

async function expectKept(backend: Parameters<typeof addTo>[0], facts: readonly StoredFact[]): Promise<void> {
  const head = await commitTo(backend, user, { put: added(facts) });
  const snapshot = await backend.read(user, { seqs: facts.map(({ seq }) => seq) });
  const expected = plainSnapshot(backend, { head, facts, tombstones: [] });
  expect(plainSnapshot(backend, snapshot)).toEqual(expected);
  const listed = (await allFacts(backend, user)).map((fact) => plainFact(backend, fact));
  expect(listed).toEqual(expected.facts.toReversed());
}

export const values: BackendSpec = {
  subject: "values",
  rules: {
    "of text are stored exactly": ({ backend }) =>
      expectKept(
        backend,
        texts.map((text, index) =>
          storedFact(index + 1, {
            ...{ fact: text, evidence: text, author: text, extractor: text, messageId: text },
            tags: [text.slice(0, 200)],
          }),
        ),
      ),

    "of numbers are stored exactly": ({ backend }) => {
      const scores = [0, 1, 0.1, 1e-7, 0.30000000000000004, 5e-324, 1 - 2 ** -53, null];
      return expectKept(
        backend,
        scores.map((score, index) => storedFact(index + 1, { score })),
      );
    },

    "of times are stored to the millisecond, also far in the past and future": ({ backend }) => {
      const times = [0, -1, 1, 1_700_000_000_001, -4_733_510_400_000, 3_311_000_000_123, 8.64e15, -8.64e15];
      return expectKept(
        backend,
        times.map((at, index) =>
          storedFact(index + 1, {
            ...{ saidAt: at, createdAt: at, updatedAt: at, validFrom: at, validUntil: at, supersededAt: at },
          }),
        ),
      );
    },

    "that are absent stay absent, and empty ones stay empty": ({ backend }) =>
      expectKept(backend, [
        storedFact(1, { tags: [], terms: [] }),
        storedFact(2, { key: "", conversationId: "", position: 0, messageId: "", evidence: "", author: "" }),
        storedFact(3, { conversationId: "c", position: null }),
        storedFact(4, { conversationId: null, position: 3 }),
        storedFact(5, { position: 2_147_483_647, conversationId: "c", score: 0, validUntil: 0 }),
      ]),

    "of every trust, status and reason are stored": ({ backend }) => {
      const trusts = ["stated", "confirmed", "inferred", "external"] as const;
      const statuses = ["active", "quarantined", "superseded"] as const;
      const reasons = ["external", "conflict", "rate", "link", null] as const;
      const all = trusts.flatMap((trust) =>
        statuses.flatMap((status) => reasons.map((quarantine) => ({ trust, status, quarantine }))),
      );
      return expectKept(
        backend,
        all.map((fields, index) => storedFact(index + 1, { ...fields, conflictsWith: "id-1" })),
      );
    },

    "of tags keep order and repetitions": ({ backend }) =>
      expectKept(backend, [
        storedFact(1, { tags: ["b", "a", "b", ""] }),
        storedFact(2, { tags: hostileNames }),
      ]),

    "of vectors are stored at least in single precision": async ({ backend }) => {
      if (backend.nearest === undefined) return;
      const vector = Array.from({ length: 1_536 }, (_, index) => (index - 700) / 1_024);
      await expectKept(backend, [storedFact(1, { vector }), storedFact(2, { vector: [0, -0.5, 2 ** -20] })]);
    },

    "that are names are distinguished, each finds only its own fact": async ({ backend }) => {
      const facts = hostileNames.map((name, index) =>
        storedFact(index + 1, {
          ...{ id: name, key: name, conversationId: name, position: 1, supersededBy: name },
          terms: [{ term: name, weight: 1 }],
        }),
      );
      await addTo(backend, user, ...facts);
      for (const [index, name] of hostileNames.entries()) {
        const own = [index + 1];
        expect(await selected(backend, user, { ids: [name] }), `id ${name}`).toEqual(own);
        expect(await selected(backend, user, { keys: [name] }), `key ${name}`).toEqual(own);
        const locations = [{ conversationId: name, position: 1 }];
        expect(await selected(backend, user, { locations }), `conversation ${name}`).toEqual(own);
        expect(await selected(backend, user, { supersededBy: [name] }), `successor ${name}`).toEqual(own);
        expect(await matched(backend, user, name), `term ${name}`).toEqual(own);
      }
    },

    "that are terms are matched as a whole, with their weights": async ({ backend }) => {
      const terms = hostileNames.map((term, index) => ({ term, weight: index + 1 }));
      await addTo(backend, user, storedFact(1, { terms }), storedFact(2, { terms: terms.slice(0, 10) }));
      const asked = hostileNames.slice(5, 20);
      expect(
        plainMatches(await backend.match(user, asked)).documents.map((document) => document.terms),
      ).toEqual([
        plainFact(backend, storedFact(1, { terms: terms.slice(5, 20) })).terms,
        plainFact(backend, storedFact(2, { terms: terms.slice(5, 10) })).terms,
      ]);
    },

    "of the audit trail are stored exactly": async ({ backend }) => {
      const bodies = ['{"b":1,  "a":1.0}', '"\\u0000 ü 👩‍👩‍👧 \u2028"', "", "x".repeat(100_000)];
      const audit = bodies.map((body, index) => auditEntry(index + 1, body));
      await commitTo(backend, user, { audit });
      expect((await backend.audit(user)).entries).toEqual(audit);
    },
  },
};
