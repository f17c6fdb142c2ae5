import { expect } from "vitest";
import { fewHostileNames as hostileNames } from "../../hostile-names.ts";
import { expectRefusal, ids, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const refused: readonly unknown[] = [
  "",
  "\0",
  "a\0",
  "\ud800",
  "x".repeat(256),
  5,
  null,
  undefined,
  {},
  ["a"],
];

export const names: StoreSpec = {
  subject: "hostile names",
  rules: {
    "as user ids are kept separate, or refused by every method": async ({ memory, user }) => {
      const named = (name: string) => (name.length < 200 ? `${name}${user}` : name);
      const users = hostileNames.map(named);
      await Promise.all(users.map((id) => memory.remember(id, `Is ${id}`)));
      for (const id of users) expect(texts(await memory.list(id))).toEqual([`Is ${id}`]);
      await Promise.all(users.map((id) => memory.forgetAll(id)));
      for (const wrong of refused) {
        const id = wrong as string;
        const calls = [
          ...[memory.remember(id, "a"), memory.recall(id, "a"), memory.list(id), memory.get(id, "a")],
          ...[memory.update(id, "a", {}), memory.forget(id, "a"), memory.forgetAll(id), memory.mark(id)],
          ...[memory.review.list(id), memory.review.approve(id, "a"), memory.review.reject(id, "a")],
          ...[memory.explain(id, "a"), memory.audit(id), memory.verifyAudit(id)],
        ];
        for (const call of calls) await expectRefusal(call, "invalid");
      }
    },

    "as keys only supersede themselves": async ({ memory, user }) => {
      for (const [index, key] of hostileNames.entries()) {
        await memory.remember(user, `First ${index}`, { key });
      }
      expect(await memory.list(user)).toHaveLength(hostileNames.length);
      for (const [index, key] of hostileNames.entries()) {
        await memory.remember(user, `Second ${index}`, { key });
      }
      const current = await memory.list(user);
      expect(texts(current).toReversed()).toEqual(hostileNames.map((_, index) => `Second ${index}`));
      expect(new Set(current.map(({ key }) => key))).toEqual(new Set(hostileNames));
    },

    "as tags only find themselves": async ({ memory, user }) => {
      const tags = hostileNames.filter((name) => name.length <= 64);
      const facts = await Promise.all(
        tags.map((tag, at) => memory.remember(user, `Fact number ${at}`, { tags: [tag] })),
      );
      const limit = 1_000;
      for (const [index, tag] of tags.entries()) {
        expect(ids(await memory.list(user, { tags: [tag] })), `list ${tag}`).toEqual([facts[index]?.id]);
        expect(
          ids(await memory.recall(user, "fact number", { tags: [tag], limit })),
          `recall ${tag}`,
        ).toEqual([facts[index]?.id]);
      }
    },

    "as conversations and authors are stored exactly, with separate limits": async ({ memory, user }) => {
      for (const [index, name] of hostileNames.entries()) {
        const provenance = {
          conversationId: name,
          messageId: name,
          author: name,
          extractor: name,
          position: 1,
        };
        const { id } = await memory.remember(user, `Met in place ${index}`, {
          trust: "inferred",
          provenance,
        });
        const fact = await memory.get(user, id);
        expect(fact, name).toMatchObject({ status: "active", provenance });
      }
    },

    "as fact ids find nothing": async ({ memory, user }) => {
      await memory.remember(user, "Likes tea");
      for (const name of [...hostileNames, ...refused]) {
        const id = name as string;
        expect(await memory.get(user, id)).toBeNull();
        expect(await memory.update(user, id, {})).toBeNull();
        expect(await memory.explain(user, id)).toBeNull();
        expect(await memory.forget(user, id)).toMatchObject({ facts: 0 });
        expect(await memory.review.approve(user, id)).toBeNull();
        expect(await memory.review.reject(user, id)).toBe(false);
      }
      expect(await memory.list(user)).toHaveLength(1);
    },

    "as facts and queries are plain text": async ({ memory, user }) => {
      const facts = hostileNames.map((name) => `Says ${name}`);
      for (const fact of facts) await memory.remember(user, fact);
      for (const name of hostileNames) await memory.recall(user, name);
      const stored = new Set(texts(await memory.list(user)));
      for (const fact of stored) expect(facts).toContain(fact);
    },
  },
};
