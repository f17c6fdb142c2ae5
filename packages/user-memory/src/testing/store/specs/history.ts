import { expect } from "vitest";
import { ids, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const at = (year: number) => new Date(Date.UTC(year, 0, 1));

export const history: StoreSpec = {
  subject: "facts over time",
  rules: {
    "are recalled as of a time": async ({ memory, user }) => {
      await memory.remember(user, "Lives in Rome", { key: "city", validFrom: at(2010) });
      await memory.remember(user, "Lives in Bern", { key: "city", validFrom: at(2015) });
      await memory.remember(user, "Lives in Oslo", { key: "city", validFrom: at(2020) });
      const asOf = async (year: number) => texts(await memory.recall(user, "lives", { asOf: at(year) }));
      expect(await asOf(2009)).toEqual([]);
      expect(await asOf(2010)).toEqual(["Lives in Rome"]);
      expect(await asOf(2014)).toEqual(["Lives in Rome"]);
      expect(await asOf(2015)).toEqual(["Lives in Bern"]);
      expect(await asOf(2021)).toEqual(["Lives in Oslo"]);
      expect(texts(await memory.recall(user, "lives"))).toEqual(["Lives in Oslo"]);
    },

    "end at validUntil": async ({ memory, user }) => {
      await memory.remember(user, "Rents a flat", { validFrom: at(2010), validUntil: at(2012) });
      expect(await memory.recall(user, "flat")).toEqual([]);
      expect(texts(await memory.recall(user, "flat", { asOf: at(2011) }))).toEqual(["Rents a flat"]);
      expect(await memory.recall(user, "flat", { asOf: at(2012) })).toEqual([]);
    },

    "begin at validFrom": async ({ memory, user }) => {
      const next = new Date(Date.now() + 86_400_000);
      const fact = await memory.remember(user, "Works in Bern", { validFrom: next });
      expect(await memory.recall(user, "Bern")).toEqual([]);
      expect(ids(await memory.recall(user, "Bern", { asOf: next }))).toEqual([fact.id]);
      expect(await memory.explain(user, fact.id)).toMatchObject({
        recallable: false,
        obstacle: "not-yet-valid",
      });
    },

    "don't change when a newer statement is forgotten": async ({ memory, user }) => {
      await memory.remember(user, "Lives in Rome", { key: "city", validFrom: at(2010) });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city", validFrom: at(2020) });
      await memory.forget(user, oslo.id);
      expect(texts(await memory.recall(user, "lives"))).toEqual(["Lives in Rome"]);
      expect(texts(await memory.recall(user, "lives", { asOf: at(2021) }))).toEqual(["Lives in Rome"]);
    },

    "are never recalled while quarantined": async ({ memory, user }) => {
      const old = { validFrom: at(2010), trust: "external" as const };
      await memory.remember(user, "Uses Acme bank", old);
      expect(await memory.recall(user, "bank", { asOf: at(2015), minTrust: "external" })).toEqual([]);
    },
  },
};
