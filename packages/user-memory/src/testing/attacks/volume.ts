import { expect } from "vitest";
import type { UserMemoryError } from "../../errors.ts";
import { everything, expectRefusal, ids } from "../store/expectations.ts";
import type { StoreSpec } from "../store/spec.ts";
import { injected, linesOf } from "./turns.ts";

const YEAR_MS = 365.25 * 86_400_000;
const MEGABYTE = "tea ".repeat(262_144);

export const volume: StoreSpec = {
  subject: "attacks by size and time",
  rules: {
    "16. a fact of a megabyte is refused, and evidence of one is cut": async ({ memory, user, other }) => {
      const theirs = await memory.remember(other, "Likes tea");
      await expectRefusal(memory.remember(user, MEGABYTE), "invalid");
      const provenance = { evidence: MEGABYTE.slice(0, 900_000) };
      const fact = await memory.remember(user, "Likes tea", { provenance });
      expect(fact.provenance.evidence?.length).toBeLessThanOrEqual(4_000);
      expect(ids(await memory.recall(user, MEGABYTE.slice(0, 900_000)))).toEqual([fact.id]);
      expect(ids(await memory.recall(other, "tea"))).toEqual([theirs.id]);
      const instructions = await injected(memory, user, MEGABYTE);
      expect(linesOf(instructions)).toHaveLength(1);
    },

    "16. a flood of facts reaches a limit and doesn't affect others": async ({
      withOptions,
      user,
      other,
    }) => {
      const memory = withOptions({ limits: { maxFacts: 60, maxUntrustedFacts: 25, maxQuarantined: 15 } });
      const theirs = await memory.remember(other, "Likes tea");
      const outcomes = { stored: 0, full: 0 };
      for (let index = 0; index < 90; index++) {
        const trust = index % 2 === 0 ? "inferred" : "external";
        const provenance = { conversationId: `c${index}` };
        const code = await memory.remember(user, `Flood ${index} of tea`, { trust, provenance }).then(
          () => undefined,
          (thrown: UserMemoryError) => thrown.code,
        );
        if (code !== undefined) expect(code).toBe("full");
        outcomes[code === undefined ? "stored" : "full"] += 1;
      }
      expect(outcomes).toEqual({ stored: 40, full: 50 });
      const stated = await memory.remember(user, "Likes tea");
      expect(
        ids(await memory.recall(user, "likes tea"))[0],
        "the user's word has room, and comes first",
      ).toBe(stated.id);
      expect(await memory.recall(user, "tea", { limit: 1_000 })).toHaveLength(26);
      expect(await everything(memory, other)).toEqual([theirs]);
      expect(ids(await memory.recall(other, "tea"))).toEqual([theirs.id]);
    },

    "19. dates far in the future or past are ignored and end nothing": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const far = [8.64e15, -8.64e15, Date.now() + 60 * YEAR_MS, Date.now() - 200 * YEAR_MS, Number.NaN];
      for (const [index, time] of far.entries()) {
        const date = new Date(time);
        const options = { validFrom: date, validUntil: date, provenance: { saidAt: date } };
        const fact = await memory.remember(user, `Likes zebra number ${index}`, options);
        expect(fact, `${time}`).not.toHaveProperty("validUntil");
        expect(Math.abs(fact.validFrom.getTime() - Date.now())).toBeLessThan(60_000);
        expect((fact.provenance.saidAt?.getTime() ?? 0) <= Date.now()).toBe(true);
        expect(ids(await memory.recall(user, `zebra ${index}`, { limit: 1 }))).toEqual([fact.id]);
        expect(await memory.update(user, rome.id, { validUntil: date })).not.toHaveProperty("validUntil");
      }
      const ended = await memory.remember(user, "Owns a lamp", {
        validFrom: new Date(),
        validUntil: new Date(0),
      });
      expect(ended, "an end before the beginning").not.toHaveProperty("validUntil");
      expect(ids(await memory.recall(user, "Rome"))).toEqual([rome.id]);
      expect(ids(await memory.recall(user, "lamp"))).toEqual([ended.id]);
    },

    "19. an extractor's date doesn't change the user's statements": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const times = [8.64e15, -8.64e15, Date.now() + 40 * YEAR_MS, 0];
      for (const [index, time] of times.entries()) {
        const options = { trust: "inferred", key: "city", validFrom: new Date(time) } as const;
        await memory.remember(user, `Lives in town ${index}`, options);
      }
      expect(await memory.list(user)).toEqual([rome]);
      expect(ids(await memory.recall(user, "lives"))).toEqual([rome.id]);
    },
  },
};
