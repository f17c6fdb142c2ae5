import { present } from "@jaf/memory/internal";
import type { UserMemoryStore } from "@jaf/user-memory";
import * as z from "zod";
import { type FailureCode, HttpFailure, notFound } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { anything, count, time } from "./schemas.ts";

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

const findingSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  facts: z.array(factSchema),
  reason: z.string(),
  remedy: z.looseObject({ action: z.enum(["merge", "supersede", "end", "forget", "ask"]) }),
});

const examineFacts = operation("get", "/facts/health", {
  summary: "Examine facts about the user: what is wrong with them, and remedies",
  query: z.object({ asOf: time.optional() }),
  answer: z.looseObject({
    stored: z.int(),
    inUse: z.int(),
    junkRate: z.number(),
    findings: z.array(findingSchema),
  }),
  failures,
});

const remedyFacts = operation("post", "/facts/health", {
  summary: "Apply the remedies of findings",
  body: z.strictObject({
    findings: z.array(z.string().min(1).max(100)).min(1).max(1_000).describe("Ids of findings."),
    asOf: time.optional().describe("The time of the report that the findings are from. Default: now."),
  }),
  answer: z.object({
    outcomes: z.array(
      z.object({
        findingId: z.string(),
        outcome: z.enum(["applied", "in-effect", "changed", "answer-needed"]),
      }),
    ),
  }),
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

/** Imports the examination of facts. */
// The package is an optional peer: a server without facts runs without it.
const health = () => import("@jaf/user-memory");

/** Adds the routes that list, add, examine, explain, review and erase facts about the user. */
export function factRoutes(route: Route, { userMemory, provider }: ServerParts): void {
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

  const examine = async (userId: string, asOf: string | undefined) => {
    const { examineUserMemory } = await health();
    return examineUserMemory(facts(), userId, {
      provider,
      ...present({ asOf: asOf === undefined ? undefined : new Date(asOf) }),
    });
  };

  // Before the route of one fact, which has a path of the same form.
  route(examineFacts, ({ userId, query: { asOf } }) => examine(userId, asOf));

  route({ ...remedyFacts, check: facts }, async ({ userId, body: { findings: chosen, asOf } }) => {
    const { findings } = await examine(userId, asOf);
    const ids = new Set(chosen);
    const { applyRemedies } = await health();
    const applied = await applyRemedies(
      facts(),
      userId,
      findings.filter(({ id }) => ids.has(id)),
    );
    const outcomeOf = new Map(applied.map(({ finding, outcome }) => [finding.id, outcome]));
    // The id of a finding stands for the state of its facts, so an unknown id means that a fact has changed since.
    return {
      outcomes: [...ids].map((findingId) => ({
        findingId,
        outcome: outcomeOf.get(findingId) ?? ("changed" as const),
      })),
    };
  });

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
