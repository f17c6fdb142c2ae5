import { MemoryCallError, type MemoryProvider } from "@jaf/memory";
import { readFrom } from "@jaf/memory/internal";
import type { UserFact } from "../fact.ts";
import { type MemoryFinding, toFinding } from "./report.ts";

/**
 * Finds facts that come from a conversation or a message that the provider no longer has. Reads the user's
 * conversations one after the other. Rejects with a `MemoryCallError` if the provider fails.
 */
export async function findUnsupported(
  facts: readonly UserFact[],
  provider: MemoryProvider,
): Promise<readonly MemoryFinding[]> {
  const byConversation = new Map<string, UserFact[]>();
  for (const fact of facts) {
    const { conversationId } = fact.provenance;
    if (conversationId === undefined) continue;
    const known = byConversation.get(conversationId);
    if (known === undefined) byConversation.set(conversationId, [fact]);
    else known.push(fact);
  }
  const findings: MemoryFinding[] = [];
  for (const [conversationId, said] of byConversation) {
    const has = await openPositions(provider, conversationId, said);
    for (const fact of said) if (!has(fact)) findings.push(findingOf(fact));
  }
  return findings;
}

/** Returns a function that tells whether the message of a fact is still stored. */
async function openPositions(
  provider: MemoryProvider,
  conversationId: string,
  facts: readonly UserFact[],
): Promise<(fact: UserFact) => boolean> {
  const positions = facts.flatMap(({ provenance }) => provenance.position ?? []);
  const [first, last] =
    positions.length === 0 ? [0, 0] : [least(positions), -least(positions.map((at) => -at))];
  const read = await readFrom(provider, conversationId, { messages: { after: first - 1, before: last + 1 } });
  if (!read.success) throw new MemoryCallError(read.error);
  const { conversation, firstPosition } = read.data;
  if (conversation === null || conversation.userId !== facts[0]?.userId) return () => false;
  const end = firstPosition + conversation.messages.length;
  return ({ provenance: { position } }) =>
    position === undefined || (position >= firstPosition && position < end);
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b));

const findingOf = (fact: UserFact): MemoryFinding =>
  toFinding({
    kind: "unsupported",
    facts: [fact],
    reason: "The conversation or the message that it comes from no longer exists.",
    remedy: { action: "forget", forget: [fact.id] },
  });
