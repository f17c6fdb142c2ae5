import type { UserMemoryStore } from "@jaf/user-memory";
import * as z from "zod";
import { type FailureCode, HttpFailure, notFound } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { anything, count } from "./schemas.ts";

const failures = ["not-configured"] satisfies readonly FailureCode[];
const factSchema = z.looseObject({ id: z.string(), fact: z.string(), status: z.string() });
const oneFact = z.object({ fact: factSchema });
const receiptSchema = z.looseObject({ receiptId: z.string(), facts: z.int() });

const listFacts = operation("get", "/facts", {
  summary: "List facts about the user",
  query: z.object({
    status: z.enum(["active", "quarantined", "superseded"]).default("active"),
    limit: count(1_000).default(200),
  }),
  answer: z.object({ facts: z.array(factSchema) }),
  failures,
});

const rememberFact = operation("post", "/facts", {
  summary: "Remember a fact",
  body: z.strictObject({
    fact: z.string().trim().min(1).max(2_000),
    tags: z.array(z.string().min(1).max(100)).max(20).optional(),
  }),
  answer: oneFact,
  failures,
});

const forgetFacts = operation("delete", "/facts", {
  summary: "Forget all facts about the user",
  answer: receiptSchema,
  failures,
});

const explainFact = operation("get", "/facts/{factId}", {
  summary: "Explain where a fact comes from and why a query finds it",
  query: z.object({ query: z.string().min(1).max(2_000).optional() }),
  answer: z.object({ explanation: anything }),
  failures,
});

const forgetFact = operation("delete", "/facts/{factId}", {
  summary: "Forget a fact",
  answer: receiptSchema,
  failures,
});

const reviewFact = operation("post", "/facts/{factId}/review", {
  summary: "Approve or reject a quarantined fact",
  body: z.strictObject({ decision: z.enum(["approve", "reject"]) }),
  answer: z.union([oneFact, z.object({ rejected: z.literal(true) })]),
  failures,
});

/** Adds the routes that list, add, explain, review and erase facts about the user. */
export function factRoutes(route: Route, { userMemory }: ServerParts): void {
  const facts = (): UserMemoryStore => {
    if (userMemory !== undefined) return userMemory;
    throw new HttpFailure(
      "not-configured",
      "The server stores no facts. Set userMemory of its run configuration to a store of @jaf/user-memory.",
    );
  };

  route(listFacts, async ({ userId, query }) => ({ facts: await facts().list(userId, query) }));

  route({ ...rememberFact, check: facts }, async ({ userId, body: { fact, tags } }) => ({
    fact: await facts().remember(userId, fact, { tags }),
  }));

  route(forgetFacts, ({ userId }) => facts().forgetAll(userId));

  route(explainFact, async ({ userId, factId, query: { query } }) => {
    const explanation = await facts().explain(userId, factId, query);
    if (explanation === null) throw notFound();
    return { explanation };
  });

  route(forgetFact, async ({ userId, factId }) => {
    const receipt = await facts().forget(userId, factId);
    if (receipt.facts === 0) throw notFound();
    return receipt;
  });

  route({ ...reviewFact, check: facts }, async ({ userId, factId, body: { decision } }) => {
    const { review } = facts();
    if (decision === "reject") {
      if (!(await review.reject(userId, factId))) throw notFound();
      return { rejected: true };
    }
    const fact = await review.approve(userId, factId);
    if (fact === null) throw notFound();
    return { fact };
  });
}
