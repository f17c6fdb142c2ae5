import { expect } from "vitest";
import type { Quotation } from "../../../fact.ts";
import { renderUserMemory } from "../../../render/render.ts";
import type { RememberOptions } from "../../../store.ts";
import { everything, expectRefusal, ids, nextMoment, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const at = (month: number) => new Date(Date.UTC(2026, month - 1, 2));
const quoted = (
  month: number,
  fields: Omit<RememberOptions, "quotation"> = {},
  quotation: Partial<Quotation> & { readonly paraphrases?: readonly string[] } = {},
): RememberOptions => ({
  quotation: { from: "message", ...quotation },
  provenance: { conversationId: `c${month}`, extractor: "m", author: "user", saidAt: at(month) },
  ...fields,
});

export const quotations: StoreSpec = {
  subject: "quotations",
  rules: {
    "are inferred and active, with their date": async ({ memory, user, another }) => {
      const words = 'I said "never" to Acme, and left';
      const stored = await memory.remember(user, words, quoted(3, {}, { from: "text" }));
      expect(stored).toMatchObject({ fact: words, trust: "inferred", status: "active" });
      expect(stored.quotation).toEqual({ from: "text" });
      expect(await (await another()).get(user, stored.id)).toEqual(stored);
      expect(renderUserMemory([stored])).toContain(
        `\n- In a text that the user sent on 2026-03-02: "I said 'never' to Acme, and left"\n`,
      );
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true });
    },

    "are found by their question and by paraphrases, which are never shown": async (scenario) => {
      const { memory, user } = scenario;
      const asked = { question: "Are you vegetarian?", paraphrases: ["The household avoids meat"] };
      const stored = await memory.remember(user, "yes, both of us", quoted(3, {}, asked));
      for (const query of ["vegetarian", "household meat"])
        expect(ids(await memory.recall(user, query)), query).toEqual([stored.id]);
      expect(stored.quotation).toEqual({ from: "message", question: "Are you vegetarian?" });
      expect(JSON.stringify([await memory.recall(user, "meat"), await everything(memory, user)])).not.toMatch(
        /avoids/,
      );
    },

    "with the same words are merged, with the latest date and more paraphrases": async ({ memory, user }) => {
      const first = await memory.remember(user, "I like tea.", quoted(3));
      const later = await memory.remember(
        user,
        "i like  tea",
        quoted(5, {}, { paraphrases: ["Fond of Assam"] }),
      );
      await memory.remember(user, "I like tea", quoted(4));
      expect(later.id).toBe(first.id);
      const [only, ...more] = await everything(memory, user);
      expect(more).toEqual([]);
      expect(only?.provenance.saidAt).toEqual(at(5));
      expect(ids(await memory.recall(user, "Assam"))).toEqual([first.id]);
      const answer = await memory.remember(user, "I like tea", quoted(6, {}, { question: "Coffee?" }));
      expect(answer.id, "the same answer to a question says something else").not.toBe(first.id);
    },

    "with the same key: the later comes before the earlier, which is marked": async ({ memory, user }) => {
      const rome = await memory.remember(user, "I live in Rome.", quoted(3, { key: "city" }));
      const oslo = await memory.remember(user, "Now I live in Oslo, by the sea.", quoted(6, { key: "city" }));
      const found = await memory.recall(user, "Did she live in Rome?");
      expect(ids(found)).toEqual([oslo.id, rome.id]);
      expect(renderUserMemory(found)).toContain(
        '\n- (earlier) The user said on 2026-03-02: "I live in Rome."\n',
      );
      expect(ids(await memory.recall(user, "live", { asOf: at(4) }))).toEqual([rome.id]);
      const again = await memory.remember(user, "I live in Oslo.", quoted(4, { key: "city" }));
      expect(again.status, "told late of an earlier time").toBe("superseded");
      const shown = ids(await memory.recall(user, "live Oslo"));
      expect(shown, "what the later one says, too, is left out").not.toContain(again.id);
    },

    "aren't superseded by an unrelated fact with their key, and supersede no stated fact": async ({
      memory,
      user,
    }) => {
      const stated = await memory.remember(user, "Lives in Rome", { key: "city" });
      const cat = await memory.remember(user, "My cat is called Tom.", quoted(3, { key: "city" }));
      const car = await memory.remember(user, "We sold the car.", quoted(5, { key: "city" }));
      const lie = await memory.remember(user, "I lived in Rome once.", quoted(6, { key: "city" }));
      expect(await memory.get(user, stated.id)).toEqual(stated);
      expect(ids(await memory.list(user)).toSorted()).toEqual(ids([stated, cat, car, lie]).toSorted());
    },

    "have their own limit, and those never recalled are evicted first": async (scenario) => {
      const memory = scenario.withOptions({ limits: { maxQuotations: 20, maxFacts: 1 } });
      const { user } = scenario;
      await memory.remember(user, "Lives in Rome");
      const words = (index: number) => `I bought number${index} of the series.`;
      for (let index = 0; index < 20; index++)
        await memory.remember(user, words(index), { ...quoted(1), ...from(index) });
      await memory.recall(user, "number0", { limit: 1 });
      await memory.drain();
      for (let index = 20; index < 24; index++)
        await memory.remember(user, words(index), { ...quoted(1), ...from(index) });
      const kept = texts(await memory.list(user));
      expect(kept).toHaveLength(21);
      expect(kept).toContain("Lives in Rome");
      expect(kept, "it was recalled").toContain(words(0));
      for (const gone of [1, 2, 3, 4]) expect(kept).not.toContain(words(gone));
      expect(kept).toContain(words(23));
      expect((await memory.audit(user)).filter(({ action }) => action === "evicted")).toHaveLength(4);
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true });
      expect((await memory.remember(user, words(1), { ...quoted(1), ...from(30) })).status).toBe("active");
    },

    "have no rate limit, and many of one conversation can be in a recall": async ({ memory, user }) => {
      for (let index = 0; index < 15; index++)
        await memory.remember(user, `I know song${index} of the opera.`, quoted(3));
      expect(await memory.review.list(user)).toEqual([]);
      expect(await memory.recall(user, "opera", { limit: 10 })).toHaveLength(10);
    },

    "are forgotten like other facts, and not extracted again from older messages": async (scenario) => {
      const { memory, user } = scenario;
      const rome = await memory.remember(user, "I live in Rome.", quoted(3, { key: "city" }));
      const oslo = await memory.remember(user, "I live in Oslo.", quoted(4, { key: "city" }));
      await memory.forget(user, oslo.id);
      expect(ids(await memory.recall(user, "live")), "what was earlier counts again").toEqual([rome.id]);
      await expectRefusal(memory.remember(user, "I live in Oslo", quoted(4)), "forgotten", "Oslo");
      const provenance = { extractor: "m", saidAt: await nextMoment() };
      const again = await memory.remember(user, "I live in Oslo", { ...quoted(4), provenance });
      expect(again.status).toBe("active");
    },

    "don't count as statements": async ({ memory, user }) => {
      const options = { quotation: { from: "message" }, trust: "stated" } as const;
      await expectRefusal(memory.remember(user, "I like tea", options), "invalid", "tea");
      const waiting = { quotation: { from: "message" }, quarantine: "rate" } as const;
      await expectRefusal(memory.remember(user, "I like tea", waiting), "invalid", "tea");
      await memory.remember(user, "I like tea", quoted(3));
      expect(await memory.recall(user, "tea", { minTrust: "confirmed" })).toEqual([]);
      expect((await memory.remember(user, "I like tea")).trust, "the user's word raises it").toBe("stated");
    },
  },
};

const from = (index: number) => ({
  provenance: {
    conversationId: `c${index}`,
    extractor: "m",
    saidAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
  },
});
