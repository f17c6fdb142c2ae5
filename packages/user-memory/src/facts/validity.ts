import type { StoredFact } from "../backend/backend.ts";

export type Obstacle = "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";

/** Why a fact isn't recalled now: as {@link obstacleAt}, but that an earlier quotation is recalled beside what took its place. */
export function obstacleNow(fact: StoredFact, now: number): Obstacle | undefined {
  const obstacle = obstacleAt(fact, now);
  return obstacle === "superseded" && fact.quotation !== null ? undefined : obstacle;
}

/** Why a fact isn't recalled as of a time; `undefined` if it is. */
export function obstacleAt(fact: StoredFact, at: number): Obstacle | undefined {
  if (fact.status === "quarantined") return "quarantined";
  if (at < fact.validFrom) return "not-yet-valid";
  if (fact.validUntil !== null && at >= fact.validUntil) return "no-longer-valid";
  if (fact.supersededAt !== null && at >= fact.supersededAt) return "superseded";
  return undefined;
}
