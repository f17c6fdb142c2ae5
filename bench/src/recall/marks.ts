/** The quality of the recall: mean shares over all questions, in percent. */
export interface Marks {
  readonly questions: number;
  readonly recallAt: Readonly<Record<1 | 5 | 10, number>>;
  /** The mean of 1 divided by the rank of the first evidence. */
  readonly reciprocalRank: number;
}

export interface Answer {
  /** Best first, without duplicates. */
  readonly ids: readonly string[];
  readonly evidence: readonly string[];
}

export function marksOf(answers: readonly Answer[]): Marks {
  const mean = (value: (answer: Answer) => number) =>
    answers.reduce((sum, answer) => sum + value(answer), 0) / Math.max(1, answers.length);
  const within = (depth: number) =>
    100 *
    mean(({ ids, evidence }) => {
      const top = ids.slice(0, depth);
      return evidence.filter((id) => top.includes(id)).length / evidence.length;
    });
  return {
    questions: answers.length,
    recallAt: { 1: within(1), 5: within(5), 10: within(10) },
    reciprocalRank: mean(({ ids, evidence }) => {
      const first = ids.findIndex((id) => evidence.includes(id));
      return first === -1 ? 0 : 1 / (first + 1);
    }),
  };
}
