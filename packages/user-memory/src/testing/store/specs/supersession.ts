import { expect } from "vitest";
import type { UserFact } from "../../../fact.ts";
import { EVERY_STATUS, ids, texts } from "../expectations.ts";
import type { StoreScenario, StoreSpec } from "../spec.ts";

const at = (year: number) => new Date(Date.UTC(year, 0, 1));

/**
 * Stores two facts with the same key, one after the other. Returns the two results of `remember`, and the user's active
 * facts as `current`.
 */
async function second(
  { memory, user }: StoreScenario,
  first: UserFact["trust"],
  newer: UserFact["trust"],
): Promise<{ readonly older: UserFact; readonly newer: UserFact; readonly current: readonly UserFact[] }> {
  const older = await memory.remember(user, "Lives in Rome", { key: "city", trust: first });
  const fact = await memory.remember(user, "Lives in Oslo", { key: "city", trust: newer });
  return { older, newer: fact, current: await memory.list(user) };
}

export const supersession: StoreSpec = {
  subject: "a newer statement",
  rules: {
    "with the same key supersedes the older one": async (scenario) => {
      const { memory, user } = scenario;
      const { older, newer, current } = await second(scenario, "stated", "stated");
      expect(current).toEqual([newer]);
      expect(ids(await memory.recall(user, "lives"))).toEqual([newer.id]);
      expect(await memory.list(user, { status: "superseded" })).toEqual([
        expect.objectContaining({ id: older.id, supersededBy: newer.id, supersededAt: newer.validFrom }),
      ]);
    },

    "with another key, or of another user, supersedes nothing": async ({ memory, user, other }) => {
      await memory.remember(user, "Lives in Rome", { key: "city" });
      await memory.remember(user, "Likes Oslo", { key: "City" });
      await memory.remember(user, "Likes tea");
      await memory.remember(other, "Lives in Bern", { key: "city" });
      expect(texts(await memory.list(user))).toEqual(["Likes tea", "Likes Oslo", "Lives in Rome"]);
    },

    "supersedes a fact with the same or less trust": async ({ memory, ...scenario }) => {
      const allowed = [
        ["stated", "confirmed"],
        ["confirmed", "stated"],
        ["inferred", "inferred"],
        ["inferred", "stated"],
        ["inferred", "confirmed"],
      ] as const;
      for (const [first, newer] of allowed) {
        const user = `${scenario.user} ${first} ${newer}`;
        const { current, newer: fact } = await second({ ...scenario, memory, user }, first, newer);
        expect(current, `${newer} after ${first}`).toEqual([fact]);
      }
    },

    "is quarantined as a conflict if it contradicts a more trusted fact": async ({ memory, ...scenario }) => {
      for (const first of ["stated", "confirmed"] as const) {
        const user = `${scenario.user} ${first}`;
        const { older, newer, current } = await second({ ...scenario, memory, user }, first, "inferred");
        expect(current).toEqual([older]);
        expect(newer).toMatchObject({
          ...{ status: "quarantined", quarantine: "conflict", conflictsWith: older.id },
        });
        expect(await memory.recall(user, "Oslo")).toEqual([]);
      }
    },

    "that is valid from an earlier time than the current one is superseded": async ({ memory, user }) => {
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city", validFrom: at(2020) });
      const rome = await memory.remember(user, "Lives in Rome", { key: "city", validFrom: at(2010) });
      expect(rome).toMatchObject({ status: "superseded", supersededBy: oslo.id, supersededAt: at(2020) });
      expect(await memory.list(user)).toEqual([oslo]);
      expect(texts(await memory.recall(user, "lives", { asOf: at(2015) }))).toEqual(["Lives in Rome"]);
    },

    "by 16 clients at the same time leaves one current fact, the others superseded": async ({
      memory,
      another,
      user,
    }) => {
      const clients = [memory, await another()];
      await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          (clients[index % 2] ?? memory).remember(user, `Lives in city ${index}`, { key: "city" }),
        ),
      );
      const facts = await memory.list(user, { status: EVERY_STATUS });
      expect(facts).toHaveLength(16);
      expect(facts.filter(({ status }) => status === "active")).toHaveLength(1);
      expect(facts.filter(({ supersededBy }) => supersededBy === undefined)).toHaveLength(1);
    },

    "by `resolve` supersedes the candidates that it returns": async (scenario) => {
      const { memory, user, other } = scenario;
      const rome = await memory.remember(user, "Home is Rome");
      const chess = await memory.remember(user, "Plays chess");
      const stranger = await memory.remember(other, "Home is Bern");
      const shown: string[] = [];
      const resolving = scenario.withOptions({
        resolve: async (_incoming, candidates) => {
          shown.push(...candidates.map(({ userId, id }) => `${userId} ${id}`));
          return [rome.id, chess.id, stranger.id, "none"];
        },
      });
      const oslo = await resolving.remember(user, "Home is Oslo");
      expect(shown).toEqual([`${user} ${rome.id}`]);
      expect(await memory.list(user)).toEqual([oslo, chess]);
      expect(await memory.list(other)).toEqual([stranger]);
    },

    "by `resolve` is only proposed: the user's statement stays current": async ({
      memory,
      withOptions,
      user,
    }) => {
      const rome = await memory.remember(user, "Home is Rome");
      const resolving = withOptions({ resolve: async (_, candidates) => ids(candidates) });
      const oslo = await resolving.remember(user, "Home is Oslo", { trust: "inferred" });
      expect(oslo).toMatchObject({ status: "quarantined", quarantine: "conflict", conflictsWith: rome.id });
      expect(await memory.list(user)).toEqual([rome]);
    },

    "is stored if `resolve` fails, which is reported without content": async (scenario) => {
      const { memory, user } = scenario;
      const resolvers = [
        () => Promise.reject(new Error("zebra")),
        async () => "zebra" as unknown as readonly string[],
        () => new Promise<never>(() => {}),
      ];
      await memory.remember(user, "Home is zebra town");
      for (const [index, resolve] of resolvers.entries()) {
        const told: Error[] = [];
        const onError = (error: Error) => void told.push(error);
        const failing = scenario.withOptions({ resolve, onError, resolveTimeoutMs: 20 });
        await failing.remember(user, `Home is zebra ${index}`);
        expect(told).toHaveLength(1);
        expect(`${told[0]?.message} ${JSON.stringify(told[0]?.cause)}`).not.toContain("zebra");
      }
      expect(await memory.list(user)).toHaveLength(4);
    },
  },
};
