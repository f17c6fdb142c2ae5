import type { ConversationMessage } from "./term-table.ts";
import { WEIGHTS } from "./weights.ts";

interface Scored {
  readonly message: ConversationMessage | undefined;
  readonly score: number;
}

/** How many of the best items can get another place, so that they cover more. */
export const CONSIDERED = 200;
/** How many places at the start are chosen again. The items after them keep their order. */
const PLACES = 50;

/**
 * Orders items so that several documents of one message don't take the places of other messages: for each better item of
 * the same message, an item's score falls. `items` must be sorted by score, best first. Returns them sorted by their new
 * score.
 */
export function coverMessages<T extends Scored>(items: readonly T[]): readonly T[] {
  const better = new Map<ConversationMessage, number>();
  let isSorted = true;
  const scored = items.map((item) => {
    const { message, score } = item;
    if (message === undefined) return item;
    const count = better.get(message) ?? 0;
    better.set(message, count + 1);
    if (count === 0) return item;
    isSorted = false;
    return { ...item, score: score * WEIGHTS.sameMessage ** count };
  });
  return isSorted ? scored : scored.sort((one, other) => other.score - one.score);
}

/**
 * Orders items so that the first ones come from several matters: for each better item that was said near it in the same
 * conversation, an item's score falls. `items` must be sorted by score, best first. Returns them sorted by their new
 * score. With the `breadth` 0 of a query, nothing changes.
 */
export function coverMore<T extends Scored>(items: readonly T[], breadth: number): readonly T[] {
  // This is maximal marginal relevance, with the distance in a conversation as the similarity of two items.
  if (breadth === 0) return items;
  const factor = WEIGHTS.sameMatter ** breadth;
  const left = items.slice(0, CONSIDERED).map((item) => ({ item, score: item.score }));
  const placed: T[] = [];
  while (placed.length < PLACES && left.length > 0) {
    const best = left.reduce((found, one, at) => (one.score > (left[found]?.score ?? 0) ? at : found), 0);
    for (const chosen of left.splice(best, 1)) {
      placed.push({ ...chosen.item, score: chosen.score });
      for (const one of left) if (isNear(one.item, chosen.item)) one.score *= factor;
    }
  }
  const others = left.map(({ item, score }) => ({ ...item, score }));
  return [...placed, ...others, ...items.slice(CONSIDERED)].sort((one, other) => other.score - one.score);
}

const isNear = ({ message: one }: Scored, { message: other }: Scored): boolean =>
  one !== undefined &&
  one.conversation === other?.conversation &&
  Math.abs(one.position - other.position) <= WEIGHTS.matterReach;
