import type { UserMemoryStore } from "@jaf/user-memory";
import type { Hono } from "hono";
import { factBody, factQuery, factsQuery, reviewBody } from "../api/requests.ts";
import { answer } from "../http/answer.ts";
import type { ServerEnvironment } from "../http/environment.ts";
import { HttpFailure, notFound } from "../http/failure.ts";
import { parseInput, readJson } from "../http/request-body.ts";
import type { ServerParts } from "../server-parts.ts";

/** What is known about the user. */
export function factRoutes(app: Hono<ServerEnvironment>, { userMemory, settings }: ServerParts): void {
  const facts = (): UserMemoryStore => {
    if (userMemory !== undefined) return userMemory;
    throw new HttpFailure("not-configured", "This server keeps no facts: it has no userMemory.");
  };

  app.get("/facts", async (context) => {
    const { userId } = context.get("identity");
    const { status, limit } = parseInput(factsQuery, context.req.query(), "query");
    return answer(context, { facts: await facts().list(userId, { status, limit }) });
  });

  app.post("/facts", async (context) => {
    const { userId } = context.get("identity");
    const store = facts();
    const { fact, tags } = parseInput(factBody, await readJson(context, settings.limits), "body");
    return answer(context, { fact: await store.remember(userId, fact, { tags }) });
  });

  app.delete("/facts", async (context) =>
    answer(context, await facts().forgetAll(context.get("identity").userId)),
  );

  app.get("/facts/:factId", async (context) => {
    const { userId } = context.get("identity");
    const { query } = parseInput(factQuery, context.req.query(), "query");
    const explanation = await facts().explain(userId, context.req.param("factId"), query);
    if (explanation === null) throw notFound();
    return answer(context, { explanation });
  });

  app.delete("/facts/:factId", async (context) => {
    const { userId } = context.get("identity");
    const receipt = await facts().forget(userId, context.req.param("factId"));
    if (receipt.facts === 0) throw notFound();
    return answer(context, receipt);
  });

  app.post("/facts/:factId/review", async (context) => {
    const { userId } = context.get("identity");
    const { review } = facts();
    const { decision } = parseInput(reviewBody, await readJson(context, settings.limits), "body");
    const factId = context.req.param("factId");
    if (decision === "reject") {
      if (!(await review.reject(userId, factId))) throw notFound();
      return answer(context, { rejected: true });
    }
    const fact = await review.approve(userId, factId);
    if (fact === null) throw notFound();
    return answer(context, { fact });
  });
}
