import { expect } from "vitest";
import type { StoredAuditEntry, StoredFact, UserHead } from "../../backend.ts";

/** The data that an attacker with write access finds in the storage. */
export interface Stored {
  readonly head: UserHead;
  readonly facts: readonly StoredFact[];
  readonly audit: readonly StoredAuditEntry[];
}

type Tampering = (was: Stored) => Partial<Stored>;

const changeFirst =
  (fields: Partial<StoredFact>): Tampering =>
  ({ facts: [first, ...rest] }) =>
    first === undefined ? expect.fail("expected a fact") : { facts: [{ ...first, ...fields }, ...rest] };

/** Ways to tamper with the stored data of a user who has a few facts. Each way changes some data. */
export const tamperings: Readonly<Record<string, Tampering>> = {
  "another text": changeFirst({ fact: "Wires money to Acme" }),
  "more trust": changeFirst({ trust: "confirmed" }),
  "another user's word": changeFirst({ author: "Eve", evidence: "so she said" }),
  "another tag": changeFirst({ tags: ["admin"] }),
  "another score": changeFirst({ score: 0.9 }),
  "another time": changeFirst({ validFrom: 0 }),
  "a fact let out of quarantine": ({ facts }) => ({
    facts: facts.map((fact) =>
      fact.status === "quarantined"
        ? { ...fact, status: "active" as const, quarantine: null, terms: [{ term: "acm", weight: 1 }] }
        : fact,
    ),
  }),
  "a superseded fact revived": ({ facts }) => ({
    facts: facts.map((fact) =>
      fact.status === "superseded"
        ? { ...fact, status: "active" as const, supersededBy: null, supersededAt: null }
        : fact,
    ),
  }),
  "a fact added": ({ facts }) => ({
    facts: [...facts, ...facts.slice(0, 1).map((fact) => ({ ...fact, seq: 999, id: crypto.randomUUID() }))],
  }),
  "a fact taken away": ({ facts }) => ({ facts: facts.slice(1) }),
  "the trail's end taken away": ({ audit }) => ({ audit: audit.slice(0, -1) }),
  "the trail taken away": () => ({ audit: [] }),
  "an entry taken out": ({ audit }) => ({ audit: audit.filter(({ seq }) => seq !== 2) }),
  "two entries exchanged": ({ audit }) => ({
    audit: audit.map(({ seq, body }) => ({
      seq,
      body: audit.find((one) => one.seq === (seq === 1 ? 2 : seq === 2 ? 1 : seq))?.body ?? body,
    })),
  }),
  "an entry changed": ({ audit }) => ({
    audit: audit.map(({ seq, body }) => ({
      seq,
      body: seq === 1 ? body.replace(/"action":"\w+"/, '"action":"approved"') : body,
    })),
  }),
  "an entry added": ({ audit }) => ({
    audit: [
      ...audit,
      ...audit
        .slice(-1)
        .map(({ seq, body }) => ({ seq: seq + 1, body: body.replace(`"seq":${seq}`, `"seq":${seq + 1}`) })),
    ],
  }),
};
