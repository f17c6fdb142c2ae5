import { expect } from "vitest";
import { everything, expectRefusal, ids } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const extracted = (conversationId: string) => ({
  trust: "inferred" as const,
  provenance: { conversationId },
});

export const limits: StoreSpec = {
  subject: "limits",
  rules: {
    "refuse a further fact until there is room": async ({ withOptions, user, other }) => {
      const memory = withOptions({ limits: { maxFacts: 5 } });
      const facts = [];
      for (let index = 0; index < 5; index++) facts.push(await memory.remember(user, `Fact ${index}`));
      const { retryable } = await expectRefusal(memory.remember(user, "Fact zebra"), "full", "zebra");
      expect(retryable).toBe(false);
      expect((await memory.remember(user, "fact 3")).id, "it is there already").toBe(facts[3]?.id);
      expect((await memory.remember(other, "Fact 9")).status, "others have room").toBe("active");
      await memory.forget(user, facts[0]?.id ?? "");
      expect((await memory.remember(user, "Fact 9")).status).toBe("active");
    },

    "hold for 16 concurrent writers": async ({ withOptions, user }) => {
      const memory = withOptions({ limits: { maxFacts: 5 } });
      const writes = Array.from({ length: 16 }, (_, index) => memory.remember(user, `Fact ${index}`));
      const done = await Promise.allSettled(writes);
      expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      expect(await everything(memory, user)).toHaveLength(5);
    },

    "keep room for the user's statements": async ({ withOptions, user }) => {
      const memory = withOptions({ limits: { maxUntrustedFacts: 3, maxQuarantined: 2 } });
      for (let index = 0; index < 3; index++)
        await memory.remember(user, `Maybe ${index}`, extracted(`c${index}`));
      await expectRefusal(memory.remember(user, "Maybe 3", extracted("c3")), "full");
      for (let index = 0; index < 2; index++)
        await memory.remember(user, `Page ${index}`, { trust: "external" });
      await expectRefusal(memory.remember(user, "Page 2", { trust: "external" }), "full");
      expect((await memory.remember(user, "Said")).status).toBe("active");
      expect((await memory.remember(user, "Maybe 1")).trust, "the user's word frees a place").toBe("stated");
      expect((await memory.remember(user, "Maybe 4", extracted("c4"))).status).toBe("active");
      const [page] = await memory.review.list(user);
      await memory.review.approve(user, page?.id ?? "");
      expect((await memory.remember(user, "Page 3", { trust: "external" })).status).toBe("quarantined");
    },

    "cut evidence without splitting a character": async ({ memory, user }) => {
      const evidence = `${"x".repeat(3_999)}👩 and more`;
      const fact = await memory.remember(user, "Likes tea", { provenance: { evidence } });
      expect(fact.provenance.evidence).toBe("x".repeat(3_999));
    },

    "that are invalid throw a TypeError with their names": ({ withOptions }) => {
      const wrong = [
        ...[{ limits: { maxFacts: 0 } }, { limits: { maxFacts: Number.NaN } }, { limits: { maxFacts: 1.5 } }],
        ...[
          { limits: { maxSourceShare: 2 } },
          { limits: { zebra: 1 } },
          { auditKey: "short" },
          { embed: "zebra" },
        ],
      ];
      for (const options of wrong)
        expect(() => withOptions(options as object), JSON.stringify(options)).toThrow(TypeError);
      expect(() => withOptions({ auditKey: "zebra" })).toThrow(/auditKey/);
      expect(() => withOptions({ auditKey: "zebra" })).not.toThrow(/zebra/);
      return Promise.resolve();
    },

    "quarantine facts beyond the rate of one conversation": async ({ withOptions, another, user }) => {
      const memory = withOptions({ limits: { maxExtractedPerConversation: 3 } });
      for (let index = 0; index < 3; index++) {
        expect(await memory.remember(user, `Maybe ${index}`, extracted("c"))).toMatchObject({
          status: "active",
        });
      }
      const late = await memory.remember(user, "Maybe 3", extracted("c"));
      expect(late).toMatchObject({ status: "quarantined", quarantine: "rate" });
      expect(await memory.remember(user, "Maybe 4", extracted("d"))).toMatchObject({ status: "active" });
      expect(await memory.remember(user, "Said", { provenance: { conversationId: "c" } })).toMatchObject({
        status: "active",
      });
      const limited = await another();
      for (let index = 5; index < 13; index++) await limited.remember(user, `Maybe ${index}`, extracted("c"));
      expect(await memory.review.list(user), "the count is the user's, not the process's").not.toHaveLength(
        1,
      );
    },

    "of a window start again after it": async ({ withOptions, user }) => {
      const memory = withOptions({ limits: { maxExtractedPerConversation: 1, extractionWindowMs: 1 } });
      await memory.remember(user, "Maybe 1", extracted("c"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      const later = await memory.remember(user, "Maybe 2", extracted("c"));
      expect(later.status).toBe("active");
      expect(ids(await memory.list(user))).toHaveLength(2);
    },
  },
};
