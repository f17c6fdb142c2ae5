import type { Store } from "../storage/open-store.ts";
import { describeFact, titlesOf, wordsOf } from "./fact-list.ts";

/** What counts as known of a user, the newest first, each in a line with where it comes from. */
export async function knownFacts(
  { userMemory, provider }: Pick<Store, "userMemory" | "provider">,
  userId: string,
): Promise<readonly string[]> {
  const [facts, titles] = await Promise.all([userMemory.list(userId), titlesOf(provider, userId)]);
  return facts.map((fact) => `${wordsOf(fact)} — ${describeFact(fact, titles)}`);
}
