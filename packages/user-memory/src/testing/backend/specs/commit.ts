import { expect } from "vitest";
import type { StoredFact } from "../../../backend.ts";
import { matched, plainSnapshot, selected, selectionOf, seqs } from "../expectations.ts";
import {
  added,
  addTo,
  auditEntry,
  changeOn,
  commitTo,
  hashOf,
  headOf,
  storedFact,
  storedFacts,
  userKey,
} from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");

export const commit: BackendSpec = {
  subject: "commit",
  rules: {
    "writes head, facts, tombstones and audit of a new user": async ({ backend }) => {
      const facts = storedFacts(3);
      const tombstones = [{ digest: hashOf("gone"), at: 5 }];
      const change = changeOn(null, { put: added(facts), tombstones, audit: [auditEntry(1)] });
      expect(await backend.commit(user, change)).toBe(true);
      const snapshot = await backend.read(user, { seqs: [1, 2, 3], tombstones: [hashOf("gone")] });
      expect(plainSnapshot(backend, snapshot)).toEqual({ head: change.head, facts, tombstones });
      expect(await backend.audit(user)).toEqual({ head: change.head, entries: [auditEntry(1)] });
    },

    "stores the head's state unchanged": async ({ backend }) => {
      for (const state of [
        '{"b":1,  "a":1.0, "b":1e400}',
        '"ü\\u0000\\ud800\u2028👩‍👩‍👧"',
        "",
        `"${"x".repeat(100_000)}"`,
      ]) {
        const before = await headOf(backend, user);
        const change = changeOn(before);
        await backend.commit(user, { ...change, head: { ...change.head, state } });
        expect((await headOf(backend, user))?.state).toBe(state);
      }
    },

    "refuses an older or newer version and writes nothing": async ({ backend }) => {
      const [kept, other] = storedFacts(2) as [StoredFact, StoredFact];
      const mark = { digest: hashOf("kept"), at: 1 };
      const head = await commitTo(backend, user, {
        put: added([kept]),
        tombstones: [mark],
        audit: [auditEntry(1)],
      });
      for (const expectedVersion of [0, 2, 100]) {
        const refused = changeOn(head, {
          expectedVersion,
          head: { version: expectedVersion + 1, epoch: 0, state: "refused" },
          put: [{ before: null, after: { ...other, terms: [{ term: "refused", weight: 1 }] } }],
          drop: [kept],
          tombstones: [{ digest: hashOf("refused"), at: 2 }],
          removedTombstones: [mark.digest],
          audit: [auditEntry(2)],
        });
        expect(await backend.commit(user, refused)).toBe(false);
      }
      const snapshot = await backend.read(user, {
        seqs: [1, 2],
        tombstones: [mark.digest, hashOf("refused")],
      });
      expect(plainSnapshot(backend, snapshot)).toEqual({ head, facts: [kept], tombstones: [mark] });
      expect(await matched(backend, user, "refused")).toEqual([]);
      expect((await backend.audit(user)).entries).toEqual([auditEntry(1)]);
    },

    "refuses any version but 0 for an unknown user": async ({ backend }) => {
      const change = changeOn({ version: 1, epoch: 0, state: "" }, { put: added(storedFacts(1)) });
      expect(await backend.commit(user, change)).toBe(false);
      expect(await backend.read(user, { seqs: [1] })).toEqual({ head: null, facts: [], tombstones: [] });
    },

    "replaces a fact and finds it only by its new fields": async ({ backend }) => {
      const terms = (term: string) => [{ term, weight: 1 }];
      const before = storedFact(1, {
        ...{ key: "old-key", conversationId: "old", position: 1, supersededBy: "old-id" },
        terms: terms("old"),
      });
      const after = storedFact(1, {
        ...{ fact: "new", digest: hashOf("new"), key: "new-key", conversationId: "new", position: 2 },
        ...{ supersededBy: "new-id", status: "superseded", updatedAt: 9, terms: terms("new") },
      });
      await addTo(backend, user, before);
      await commitTo(backend, user, { put: [{ before, after }] });
      const { digests, keys, locations, supersededBy } = selectionOf([before]);
      for (const gone of [{ digests }, { keys }, { locations }, { supersededBy }]) {
        expect(await selected(backend, user, gone)).toEqual([]);
      }
      const names = selectionOf([after]);
      for (const [field, values] of Object.entries(names)) {
        if (values.length === 0) continue;
        expect(await selected(backend, user, { [field]: values }), field).toEqual([1]);
      }
      expect(await matched(backend, user, "old")).toEqual([]);
      expect(await matched(backend, user, "new")).toEqual([1]);
      expect(seqs(await backend.list(user, { statuses: ["active"], limit: 10 }))).toEqual([]);
    },

    "removes a fact from the index and adds it again": async ({ backend }) => {
      const active = storedFact(1, { vector: [1, 0] });
      const waiting = storedFact(1, { status: "quarantined", quarantine: "rate", terms: [], vector: null });
      await addTo(backend, user, active);
      await commitTo(backend, user, { put: [{ before: active, after: waiting }] });
      expect(await backend.match(user, ["fact"])).toEqual({ size: 0, documents: [] });
      expect((await backend.nearest?.(user, [1, 0], 5)) ?? []).toEqual([]);
      await commitTo(backend, user, { put: [{ before: waiting, after: active }] });
      expect(await matched(backend, user, "fact")).toEqual([1]);
      if (backend.nearest !== undefined) expect(seqs(await backend.nearest(user, [1, 0], 5))).toEqual([1]);
    },

    "adds, changes, drops, adds and removes tombstones in one step": async ({ backend }) => {
      const [first, second, third] = storedFacts(3) as [StoredFact, StoredFact, StoredFact];
      await commitTo(backend, user, {
        put: added([first, second]),
        tombstones: [
          { digest: hashOf("removed"), at: 1 },
          { digest: hashOf("again"), at: 1 },
        ],
      });
      const changed = { ...first, fact: "changed", terms: [{ term: "changed", weight: 2 }] };
      const head = await commitTo(backend, user, {
        put: [{ before: first, after: changed }, ...added([third])],
        drop: [second],
        tombstones: [
          { digest: second.digest, at: 2 },
          { digest: hashOf("again"), at: 2 },
        ],
        removedTombstones: [hashOf("removed"), hashOf("never there")],
      });
      const tombstones = [hashOf("removed"), hashOf("again"), second.digest];
      const snapshot = await backend.read(user, { seqs: [1, 2, 3], tombstones });
      expect(plainSnapshot(backend, snapshot)).toEqual(
        plainSnapshot(backend, {
          head,
          facts: [changed, third],
          tombstones: [
            { digest: hashOf("again"), at: 2 },
            { digest: second.digest, at: 2 },
          ],
        }),
      );
      expect(await matched(backend, user, "fact")).toEqual([3]);
      expect(await matched(backend, user, "changed")).toEqual([1]);
    },

    "writes many large facts in one step": async ({ backend }) => {
      const terms = Array.from({ length: 256 }, (_, index) => ({ term: `term-${index}`, weight: 1 + index }));
      const facts = storedFacts(60).map((fact) => ({ ...fact, terms, vector: Array<number>(64).fill(0.5) }));
      const tombstones = Array.from({ length: 100 }, (_, at) => ({ digest: hashOf(`t${at}`), at }));
      const audit = Array.from({ length: 200 }, (_, index) => auditEntry(index + 1));
      await commitTo(backend, user, { put: added(facts), tombstones, audit });
      expect((await backend.match(user, ["term-255", "term-0"])).documents).toHaveLength(60);
      expect((await backend.audit(user)).entries).toEqual(audit);
      await commitTo(backend, user, {
        drop: facts,
        removedTombstones: tombstones.map(({ digest }) => digest),
      });
      expect(await backend.match(user, ["term-255"])).toEqual({ size: 0, documents: [] });
    },
  },
};
