import type { Store } from "../storage/open-store.ts";
import { describeFact, titlesOf, wordsOf } from "./fact-list.ts";

/** What counts as known of a user, the newest first, each in a line with where it comes from. Questions tell nothing. */
export async function knownFacts(
  { userMemory, provider }: Pick<Store, "userMemory" | "provider">,
  userId: string,
): Promise<readonly string[]> {
  const [facts, titles] = await Promise.all([userMemory.list(userId), titlesOf(provider, userId)]);
  return facts
    .filter(({ fact }) => !isRequest(fact))
    .map((fact) => `${wordsOf(fact)} — ${describeFact(fact, titles)}`);
}

const REQUEST =
  /^\W*(?:hi|hello|hey|thanks|thank you|bye|good (?:morning|afternoon|evening|night)|please|can you|could you|show|list|delete|remove|take a note|make a note|add a note|tell me|what|who|how|where|when|why|which|do you)\b[^.!]*[.!]?$/i;

const isRequest = (text: string): boolean => /\?\s*$/.test(text) || REQUEST.test(text);
