import type { UserFact } from "@jaf/user-memory";
import { Failure } from "../failure.ts";
import { lineOf } from "../statements.ts";
import type { Stores } from "../stores.ts";

interface Review {
  readonly userId: string;
  readonly decision?: "confirm" | "reject";
  /** The fact to decide about; `"all"`: all that wait. */
  readonly id?: string;
}

/** Lists the facts that wait for review, or decides about one or all. The person at the terminal is the user. */
export async function runReview({ memory }: Stores, { userId, decision, id = "all" }: Review): Promise<void> {
  const waiting = await memory.review.list(userId);
  if (decision === undefined) return print(waiting);
  const chosen = id === "all" ? waiting : waiting.filter((fact) => fact.id === id);
  if (chosen.length === 0)
    throw new Failure("No such fact waits for review. List them: jaf-mcp-memory review");
  for (const fact of chosen) {
    if (decision === "confirm") await memory.review.approve(userId, fact.id);
    else await memory.review.reject(userId, fact.id);
    console.log(`${decision === "confirm" ? "confirmed" : "rejected"}  ${lineOf(fact.fact)}`);
  }
}

function print(waiting: readonly UserFact[]): void {
  for (const { id, quarantine, fact } of waiting) console.log(`${id}  (${quarantine}) ${lineOf(fact)}`);
  if (waiting.length === 0) console.error("No fact waits for review.");
  else console.error('Confirm with --confirm <id>, delete with --reject <id>; "all" for all.');
}
