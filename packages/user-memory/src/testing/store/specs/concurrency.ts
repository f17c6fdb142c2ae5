import { expect } from "vitest";
import { everything, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const WRITERS = 16;

export const concurrency: StoreSpec = {
  subject: "concurrent calls",
  rules: {
    "by 16 writers in two processes lose nothing and keep the trail valid": async ({
      memory,
      another,
      user,
    }) => {
      const clients = [memory, await another()];
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const client = clients[writer % 2] ?? memory;
          for (let index = 0; index < 3; index++) await client.remember(user, `Fact ${writer}/${index}`);
        }),
      );
      expect(await memory.list(user)).toHaveLength(WRITERS * 3);
      expect(await memory.recall(user, "fact", { limit: 100 })).toHaveLength(WRITERS * 3);
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, entries: WRITERS * 3 });
    },

    "that remember 64 facts at once, in each of two processes, all succeed": async ({
      memory,
      another,
      user,
    }) => {
      const clients = [memory, await another()];
      const facts = Array.from({ length: 128 }, (_, index) => `Owns car ${index}`);
      await Promise.all(facts.map((fact, index) => (clients[index % 2] ?? memory).remember(user, fact)));
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, facts: facts.length });
    },

    "of different users don't conflict": async ({ memory, user }) => {
      const users = Array.from({ length: WRITERS }, (_, index) => `${user} ${index}`);
      await Promise.all(users.map((each) => memory.remember(each, `Is ${each}`)));
      for (const each of users) expect(texts(await memory.list(each))).toEqual([`Is ${each}`]);
    },

    "that remember, change, forget and review keep the trail valid": async ({ memory, another, user }) => {
      const clients = [memory, await another()];
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          const client = clients[worker % 2] ?? memory;
          const fact = await client.remember(user, `Fact ${worker}`, { key: `k${worker % 3}` });
          await client.update(user, fact.id, { score: worker / 8 });
          const page = await client.remember(user, `Page ${worker}`, { trust: "external" });
          if (worker % 2 === 0) await client.review.approve(user, page.id);
          else await client.review.reject(user, page.id);
          if (worker % 3 === 0) await client.forget(user, fact.id);
        }),
      );
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, problems: [] });
      const facts = await everything(memory, user);
      expect(facts.filter(({ fact }) => fact.startsWith("Page"))).toHaveLength(4);
      const known = new Set(facts.map(({ id }) => id));
      for (const { supersededBy } of facts)
        if (supersededBy !== undefined) expect(known).toContain(supersededBy);
      const active = facts.filter(({ status, key }) => status === "active" && key !== undefined);
      expect(new Set(active.map(({ key }) => key)).size).toBe(active.length);
    },
  },
};
