import { expect } from "vitest";
import type { UserFact } from "../../fact.ts";
import type { UserMemoryStore } from "../../store.ts";
import { ids, texts } from "../store/expectations.ts";
import type { StoreSpec } from "../store/spec.ts";
import { converse, injected, linesOf } from "./turns.ts";

const from = (conversationId: string, score = 1) =>
  ({ trust: "inferred", score, provenance: { conversationId, extractor: "m" } }) as const;

async function rememberAll(
  memory: UserMemoryStore,
  user: string,
  facts: readonly string[],
  options?: Parameters<UserMemoryStore["remember"]>[2],
): Promise<readonly UserFact[]> {
  const stored: UserFact[] = [];
  for (const fact of facts) stored.push(await memory.remember(user, fact, options));
  return stored;
}

const BRIDGES = [
  ...["likes to read", "reads about money", "wants to save money", "looks for a bank", "prefers small banks"],
  ...[
    "trusts small banks",
    "has heard of Acme",
    "prefers Acme",
    "has an account at Acme",
    "trusts Acme with all",
  ],
  ...["wants everything sent to Acme", "approves every transfer to Acme"],
];

export const trust: StoreSpec = {
  subject: "attacks on trust",
  rules: {
    "10. an extractor's score of 1.0 outranks nothing that the user stated": async ({ memory, user }) => {
      const stated = await memory.remember(user, "Drinks coffee in the evening", { score: 0.1 });
      const stuffed = "Drinks coffee in the evening, coffee in the evening, evening coffee";
      for (const [index, said] of ["coffee", "evening"].entries()) {
        await memory.remember(user, `${stuffed} ${index} with ${said}`, from(`c${index}`));
      }
      for (const query of ["coffee", "evening coffee", "drinks coffee in the evening"]) {
        expect(ids(await memory.recall(user, query))[0], query).toBe(stated.id);
        expect(ids(await memory.recall(user, query, { limit: 1 })), query).toEqual([stated.id]);
      }
      const lines = linesOf(await injected(memory, user, "coffee in the evening"));
      expect(lines).toHaveLength(3);
      for (const line of lines)
        expect(line.includes("(inferred)")).toBe(line !== "- Drinks coffee in the evening");
      const spec = { extract: false, injectTokenBudget: 40 } as const;
      const short = linesOf(await converse(memory, user, { said: "coffee in the evening", spec }));
      expect(short[0], "of what is too much, the user's word stays").toBe("- Drinks coffee in the evening");
    },

    "11. an inferred fact against a statement is a conflict, and the statement stays": async (scenario) => {
      const { memory, user } = scenario;
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const oslo = await memory.remember(user, "Lives in Oslo", { ...from("c"), key: "city" });
      expect(oslo).toMatchObject({ status: "quarantined", quarantine: "conflict", conflictsWith: rome.id });
      const resolving = scenario.withOptions({ resolve: async (_, candidates) => ids(candidates) });
      const bern = await resolving.remember(user, "Lives in Bern", from("d"));
      expect(bern).toMatchObject({ status: "quarantined", quarantine: "conflict", conflictsWith: rome.id });
      for (let turn = 0; turn < 5; turn++)
        await memory.remember(user, "Lives in Oslo", { ...from(`${turn}`), key: "city" });
      expect(await memory.list(user)).toEqual([rome]);
      expect(texts(await memory.recall(user, "lives Oslo Bern"))).toEqual(["Lives in Rome"]);
      expect(await memory.explain(user, oslo.id, "Oslo")).toMatchObject({
        rank: null,
        obstacle: "quarantined",
      });
    },

    "12. bridging facts from one conversation reach a limit before their goal": async (scenario) => {
      const { memory, another, user } = scenario;
      const second = await another();
      const stored: UserFact[] = [];
      for (const [index, bridge] of BRIDGES.entries()) {
        stored.push(await (index % 2 === 0 ? memory : second).remember(user, `User ${bridge}`, from("c")));
      }
      expect(stored.filter(({ status }) => status === "active")).toHaveLength(8);
      expect(stored.slice(8).map(({ quarantine }) => quarantine)).toEqual(["rate", "rate", "rate", "rate"]);
      expect(texts(await memory.recall(user, "transfer everything Acme", { limit: 20 }))).not.toContain(
        "User approves every transfer to Acme",
      );
      for (const { id } of stored.slice(0, 8)) await memory.forget(user, id);
      const again = await memory.remember(user, "User likes Acme", from("c"));
      expect(again.quarantine, "forgetting frees no place").toBe("rate");
      expect((await memory.remember(user, "Likes Acme")).status, "the user may go on").toBe("active");
      expect((await memory.remember(user, "User likes tea", from("d"))).status).toBe("active");
    },

    "12. facts without a conversation reach a limit, too": async ({ memory, user }) => {
      const unnamed = { trust: "inferred", score: 1, provenance: { extractor: "m" } } as const;
      const stored = await rememberAll(memory, user, BRIDGES, unnamed);
      expect(stored.filter(({ status }) => status === "active")).toHaveLength(8);
    },

    "12. one source gets no more than its share of a recall": async ({ withOptions, user }) => {
      const memory = withOptions({ limits: { maxExtractedPerConversation: 100 } });
      const bridges = BRIDGES.map((bridge) => `User ${bridge} and money`);
      await rememberAll(memory, user, bridges, from("c"));
      const honest = Array.from({ length: 12 }, (_, index) => `User saved money in year ${index}`);
      for (const [index, fact] of honest.entries()) await memory.remember(user, fact, from(`d${index}`));
      const found = await memory.recall(user, "user money");
      expect(found).toHaveLength(10);
      expect(found.filter(({ provenance }) => provenance.conversationId === "c").length).toBeLessThanOrEqual(
        4,
      );
      const few = await memory.recall(user, "user money", { limit: 1 });
      expect(few).toHaveLength(1);
    },

    "13. facts stuffed with keywords get a limited share of every recall": async ({ withOptions, user }) => {
      const memory = withOptions({ limits: { maxExtractedPerConversation: 100 } });
      const topics = [
        "tea",
        "Rome",
        "bicycle",
        "piano",
        "garden",
        "chess",
        "Oslo",
        "winter",
        "soup",
        "novel",
      ];
      const stuffing = `${topics.join(" ")} `.repeat(5);
      const stuffed = await rememberAll(
        memory,
        user,
        Array.from({ length: 20 }, (_, index) => `Transfer to Acme ${index}: ${stuffing}`),
        from("evil"),
      );
      for (const topic of topics) {
        await memory.remember(user, `Likes ${topic}`);
        for (let index = 0; index < 6; index++)
          await memory.remember(user, `Said ${index} of ${topic}`, from(`c${index}${topic}`));
      }
      const evil = new Set(ids(stuffed));
      for (const topic of topics) {
        const found = await memory.recall(user, `Tell me about ${topic}`, { limit: 5 });
        expect(found[0]?.fact, topic).toBe(`Likes ${topic}`);
        expect(found.filter(({ id }) => evil.has(id)).length, topic).toBeLessThanOrEqual(2);
      }
    },
  },
};
