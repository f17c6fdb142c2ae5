import { expect } from "vitest";
import type { UserKey, UserMemoryBackend } from "../../../backend.ts";
import { allFacts, matched, seqs } from "../expectations.ts";
import { added, addTo, auditEntry, changeOn, headOf, storedFact, userKey } from "../facts.ts";
import type { BackendScenario, BackendSpec } from "../spec.ts";

const WRITERS = 16;
const WRITES = 5;
const user = userKey("u");

const clientsOf = async ({ backend, another }: BackendScenario): Promise<readonly UserMemoryBackend[]> => [
  backend,
  await another(),
];

/** Runs `task` once for each writer. The writers are distributed over several backends on the same store. */
async function atOnce<T>(
  scenario: BackendScenario,
  task: (backend: UserMemoryBackend, writer: number) => Promise<T>,
): Promise<readonly T[]> {
  const clients = await clientsOf(scenario);
  return Promise.all(
    Array.from({ length: WRITERS }, (_, writer) =>
      task(clients[writer % clients.length] ?? scenario.backend, writer),
    ),
  );
}

/** Adds a fact of a user. If another writer has changed the user's data first, reads the data again and retries. */
async function addOne(backend: UserMemoryBackend, whose: UserKey, label: string): Promise<number> {
  for (let attempt = 0; attempt < 5_000; attempt++) {
    const head = await headOf(backend, whose);
    const seq = (head?.version ?? 0) + 1;
    const fact = storedFact(seq, { fact: label });
    if (
      await backend.commit(whose, changeOn(head, { put: added([fact]), audit: [auditEntry(seq, label)] }))
    ) {
      return seq;
    }
  }
  return expect.fail("no commit succeeded: a writer with the newest version must win at some time");
}

export const concurrency: BackendSpec = {
  subject: "concurrent commits",
  rules: {
    "let exactly one of 16 writers have a version, for a new and an existing user": async (scenario) => {
      const { backend } = scenario;
      for (const round of [1, 2, 3, 4]) {
        const head = await headOf(backend, user);
        const won = await atOnce(scenario, (client, writer) =>
          client.commit(
            user,
            changeOn(head, {
              put: added([storedFact(round * 100 + writer, { terms: [{ term: `w${writer}`, weight: 1 }] })]),
              audit: [auditEntry(round, `${writer}`)],
            }),
          ),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        const winner = won.indexOf(true);
        expect((await headOf(backend, user))?.version).toBe(round);
        expect((await allFacts(backend, user))[0]?.seq).toBe(round * 100 + winner);
        expect(await allFacts(backend, user)).toHaveLength(round);
        expect((await backend.audit(user)).entries.at(-1)).toEqual(auditEntry(round, `${winner}`));
      }
    },

    "by 16 retrying writers all succeed, each exactly once": async (scenario) => {
      const { backend } = scenario;
      const taken = await atOnce(scenario, async (client, writer) => {
        const mine: number[] = [];
        for (let write = 0; write < WRITES; write++)
          mine.push(await addOne(client, user, `${writer}/${write}`));
        return mine;
      });
      const total = WRITERS * WRITES;
      const all = Array.from({ length: total }, (_, index) => index + 1);
      expect(taken.flat().sort((a, b) => a - b)).toEqual(all);
      expect((await headOf(backend, user))?.version).toBe(total);
      expect(seqs(await allFacts(backend, user))).toEqual(all.toReversed());
      expect(await matched(backend, user, "fact")).toEqual(all);
      const { entries } = await backend.audit(user);
      expect(seqs(entries)).toEqual(all);
      expect(new Set(entries.map(({ body }) => body)).size).toBe(total);
    },

    "to different users don't conflict": async (scenario) => {
      const own = (writer: number): UserKey => userKey(`user ${writer}`);
      const done = await atOnce(scenario, async (client, writer) => {
        const results: boolean[] = [];
        for (let write = 0; write < WRITES; write++) {
          const head = await headOf(client, own(writer));
          results.push(
            await client.commit(own(writer), changeOn(head, { put: added([storedFact(write + 1)]) })),
          );
        }
        return results;
      });
      expect(done).toEqual(done.map((results) => results.map(() => true)));
    },

    "are completely visible to every client when they are done": async (scenario) => {
      const other = await scenario.another();
      for (let seq = 1; seq <= 10; seq++) {
        const [writer, reader] = seq % 2 === 0 ? [scenario.backend, other] : [other, scenario.backend];
        await addTo(writer, user, storedFact(seq));
        expect(await matched(reader, user, "fact")).toHaveLength(seq);
        expect((await headOf(reader, user))?.version).toBe(seq);
        expect(seqs(await reader.list(user, { statuses: ["active"], limit: 1 }))).toEqual([seq]);
      }
    },
  },
};
