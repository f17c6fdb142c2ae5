import type { UserMemoryStore } from "@jaf/user-memory";
import * as api from "../api/facts.ts";
import { HttpFailure, notFound } from "../http/failure.ts";
import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";

/** What is known about the user. */
export function factRoutes(route: Route, { userMemory }: ServerParts): void {
  const facts = (): UserMemoryStore => {
    if (userMemory !== undefined) return userMemory;
    throw new HttpFailure("not-configured", "This server keeps no facts: it has no userMemory.");
  };

  route(api.listFacts, async ({ userId, query }) => ({ facts: await facts().list(userId, query) }));

  route({ ...api.rememberFact, check: facts }, async ({ userId, body: { fact, tags } }) => ({
    fact: await facts().remember(userId, fact, { tags }),
  }));

  route(api.forgetFacts, ({ userId }) => facts().forgetAll(userId));

  route(api.explainFact, async ({ userId, factId, query: { query } }) => {
    const explanation = await facts().explain(userId, factId, query);
    if (explanation === null) throw notFound();
    return { explanation };
  });

  route(api.forgetFact, async ({ userId, factId }) => {
    const receipt = await facts().forget(userId, factId);
    if (receipt.facts === 0) throw notFound();
    return receipt;
  });

  route({ ...api.reviewFact, check: facts }, async ({ userId, factId, body: { decision } }) => {
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
