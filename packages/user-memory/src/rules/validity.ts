import type { StoredFact } from "../backend/backend.ts";

export type Obstacle = "quarantined" | "superseded" | "not-yet-valid" | "no-longer-valid";

/** Why a fact isn't recalled as of a time; `undefined` if it is. */
export function obstacleAt(fact: StoredFact, at: number): Obstacle | undefined {
  if (fact.status === "quarantined") return "quarantined";
  if (at < fact.validFrom) return "not-yet-valid";
  if (fact.validUntil !== null && at >= fact.validUntil) return "no-longer-valid";
  if (fact.supersededAt !== null && at >= fact.supersededAt) return "superseded";
  return undefined;
}
