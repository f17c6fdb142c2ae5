import type { RecallReason } from "../explanation.ts";
import type { Reasons } from "../ranker/index.ts";

/** The parts of a score that add to it, the largest first. */
export function reasonsOf(parts: Reasons): readonly RecallReason[] {
  const { terms, words, neighbours, author, time, date, conversation } = parts;
  const own = words + neighbours;
  const reasons: readonly RecallReason[] = [
    { kind: "terms", score: words, terms },
    { kind: "neighbours", score: neighbours },
    { kind: "author", score: own * (author - 1) },
    { kind: "date", score: own * author * (time - 1) + date },
    { kind: "conversation", score: conversation },
  ];
  return reasons.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}
