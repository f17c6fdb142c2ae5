import { expect } from "vitest";
import type { ForgetDetails } from "../../store.ts";
import { hostileNames } from "../hostile-names.ts";
import { everything, expectRefusal, ids, texts } from "../store/expectations.ts";
import type { StoreSpec } from "../store/spec.ts";

const FILTERS = [
  ...[
    "*",
    "%",
    "_",
    "?",
    ".*",
    "home*",
    "home%",
    "home|work",
    "home,work",
    "{home}",
    "[home]",
    "HOME",
    "hom",
    "home ",
  ],
  ...[
    "' OR '1'='1",
    "home' OR 1=1 --",
    '"home" OR "work"',
    "@tags:{*}",
    "$ne",
    "__proto__",
    "constructor",
    "home\0",
    "",
  ],
];

export const identity: StoreSpec = {
  subject: "attacks on the identity of users",
  rules: {
    "4. the id of another user's fact is treated like a missing one": async ({ memory, user, other }) => {
      const fact = await memory.remember(other, "Likes zebras", { tags: ["a"] });
      const waiting = await memory.remember(other, "Uses Acme", { trust: "external" });
      const before = [await everything(memory, other), await memory.audit(other)];
      const ask = async (id: string) => {
        const details: ForgetDetails = await memory.forget(user, id);
        const { receiptId: _id, at: _at, ...receipt } = details;
        return {
          ...{
            receipt,
            get: await memory.get(user, id),
            update: await memory.update(user, id, { fact: "Mine" }),
          },
          ...{
            explain: await memory.explain(user, id, "zebras"),
            approve: await memory.review.approve(user, id),
          },
          ...{ reject: await memory.review.reject(user, id), trail: await memory.audit(user) },
        };
      };
      const unknown = await ask(crypto.randomUUID());
      expect(unknown).toMatchObject({
        receipt: { facts: 0 },
        get: null,
        update: null,
        explain: null,
        trail: [],
      });
      for (const { id } of [fact, waiting]) expect(await ask(id)).toEqual(unknown);
      expect([await everything(memory, other), await memory.audit(other)]).toEqual(before);
    },

    "5. no user id reaches another's facts: `a:b` isn't tenant a, user b": async ({ memory, user }) => {
      const [a, b] = [`${user}a`, `${user}b`];
      const users = [
        ...[
          a,
          b,
          `${a}:${b}`,
          `${a}:`,
          `:${b}`,
          `${a}::${b}`,
          `{${a}}`,
          `${a}}`,
          `${a}/${b}`,
          `${a}*`,
          `${a}%`,
        ],
        ...[
          `${a}\n`,
          ` ${a}`,
          a.toUpperCase(),
          `${a}é`,
          `${a}e\u0301`,
          `${a}:facts`,
          `${a}:head`,
          `${a}}:facts`,
        ],
      ];
      for (const [index, id] of users.entries()) await memory.remember(id, `Fact ${index}`, { key: "k" });
      for (const [index, id] of users.entries()) {
        expect(texts(await everything(memory, id)), id).toEqual([`Fact ${index}`]);
        expect(texts(await memory.recall(id, "fact", { limit: 100 })), id).toEqual([`Fact ${index}`]);
      }
      for (const [index, id] of users.entries()) {
        expect((await memory.forgetAll(id)).facts).toBe(1);
        const left = await Promise.all(users.slice(index + 1).map((each) => memory.list(each)));
        expect(left.map(({ length }) => length)).toEqual(left.map(() => 1));
      }
      for (const wrong of ["", "\0", `${a}\0`, "x".repeat(256), "\udc00"]) {
        await expectRefusal(memory.remember(wrong, "Fact"), "invalid");
        await expectRefusal(memory.recall(wrong, "fact"), "invalid");
      }
    },

    "6. no tag, filter or query widens what is found": async ({ memory, user, other }) => {
      const home = await memory.remember(user, "Likes tea", { tags: ["home"] });
      const work = await memory.remember(user, "Likes tea at work", { tags: ["work"] });
      await memory.remember(user, "Likes tea from a page", { tags: ["home"], trust: "external" });
      await memory.remember(other, "Likes tea elsewhere", { tags: ["home"] });
      for (const tag of FILTERS) {
        expect(await memory.recall(user, "tea", { tags: [tag] }), `recall ${tag}`).toEqual([]);
        expect(await memory.list(user, { tags: [tag] }), `list ${tag}`).toEqual([]);
      }
      expect(ids(await memory.recall(user, "tea", { tags: ["home", "*", "%"] }))).toEqual([home.id]);
      const queries = [
        ...[
          "tea & !work",
          "tea | work",
          "tea <-> work",
          "(tea",
          "tea)",
          "-tea",
          "+tea",
          '"tea"',
          "tea*",
          "tea:*",
        ],
        ...["tea' OR '1'='1", "@fact:tea", "tea~1", "tea AND NOT work", "\\tea", "tea\0".replace("\0", "")],
        ...hostileNames.map((name) => `tea ${name}`),
      ];
      for (const query of queries) {
        const found = await memory.recall(user, query, { limit: 100 });
        expect(found.length, query).toBeGreaterThan(0);
        for (const { id } of found) expect([home.id, work.id], query).toContain(id);
      }
      const widening = [
        ...[
          { tags: { $ne: null } },
          { tags: [{ $ne: null }] },
          { tags: null },
          { limit: "1 OR 1=1" },
          { minTrust: "*" },
        ],
        ...[{ status: "quarantined" }, { userId: other }, { asOf: "now" }],
      ];
      for (const options of widening) {
        await expectRefusal(memory.recall(user, "tea", options as object), "invalid");
      }
    },
  },
};
