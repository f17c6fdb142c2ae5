import type { UserMemoryStore } from "@jaf/user-memory";
import { quantile } from "../statistics.ts";
import type { LocomoConversation, LocomoTurn } from "./locomo.ts";

/** What is remembered of a conversation: each turn as it was said, or the facts drawn from it, each with its turn. */
export type Items = "turns" | "facts";

/** Of all questions, each counting the same. */
export interface Quality {
  readonly questions: number;
  /** The share of a question's evidence that is among the first of what is recalled, in percent; the mean. */
  readonly recallAt: Readonly<Record<1 | 5 | 10, number>>;
  /** Mean of one divided by the rank of the first evidence. */
  readonly reciprocalRank: number;
  /** Time of a recall, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

const DEPTHS = [1, 5, 10] as const;
const DEEPEST = 10;
const RANKED = 100;

/** Remembers every conversation as a user of its own, asks its questions, and looks where their evidence comes. */
export async function measureQuality(
  memory: UserMemoryStore,
  conversations: readonly LocomoConversation[],
  items: Items,
): Promise<Quality> {
  const found = { 1: 0, 5: 0, 10: 0 };
  const times: number[] = [];
  let ranks = 0;
  for (const conversation of conversations) {
    const userId = `${conversation.id} ${items}`;
    const turnOf = await rememberAll(memory, userId, { turns: conversation.turns, items });
    for (const { text, evidence } of conversation.questions) {
      const start = performance.now();
      await memory.recall(userId, text, { limit: DEEPEST });
      times.push(performance.now() - start);
      const ids = await rankedTurns(memory, { userId, text, turnOf });
      for (const depth of DEPTHS) {
        const top = ids.slice(0, depth);
        found[depth] += evidence.filter((id) => top.includes(id)).length / evidence.length;
      }
      const first = ids.findIndex((id) => evidence.includes(id));
      ranks += first === -1 ? 0 : 1 / (first + 1);
    }
  }
  const questions = conversations.flatMap((conversation) => conversation.questions).length;
  const share = (sum: number) => (100 * sum) / questions;
  return {
    questions,
    recallAt: { 1: share(found[1]), 5: share(found[5]), 10: share(found[10]) },
    reciprocalRank: ranks / questions,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  };
}

interface Question {
  readonly userId: string;
  readonly text: string;
  readonly turnOf: ReadonlyMap<string, string>;
}

/** The turns behind what is recalled, each once, best first. */
async function rankedTurns(
  memory: UserMemoryStore,
  { userId, text, turnOf }: Question,
): Promise<readonly string[]> {
  const facts = await memory.recall(userId, text, { limit: RANKED });
  return [...new Set(facts.flatMap(({ id }) => turnOf.get(id) ?? []))];
}

/** By the id of each fact, the turn that it is or comes from. */
async function rememberAll(
  memory: UserMemoryStore,
  userId: string,
  { turns, items }: { readonly turns: readonly LocomoTurn[]; readonly items: Items },
): Promise<ReadonlyMap<string, string>> {
  const turnOf = new Map<string, string>();
  for (const turn of turns) {
    const { session: conversationId, position, speaker: author, saidAt, text } = turn;
    const provenance = { conversationId, position, author, saidAt };
    if (items === "facts" && turn.facts.length > 0) {
      // One item a turn: what was drawn from it, and where it was drawn from.
      const fact = turn.facts.join(" ");
      const { id } = await memory.remember(userId, fact, { provenance: { ...provenance, evidence: text } });
      turnOf.set(id, turn.id);
    } else {
      const { id } = await memory.remember(userId, text, { provenance });
      turnOf.set(id, turnOf.get(id) ?? turn.id);
    }
  }
  return turnOf;
}
