import { stem } from "../../../packages/user-memory/src/ranker/stemmer.ts";
import { isStopWord, tokenize } from "../../../packages/user-memory/src/ranker/tokenizer.ts";

const SATURATION = 1.2;
const LENGTH = 0.75;

const wordsOf = (text: string): readonly string[] =>
  tokenize(text)
    .filter((word) => !isStopWord(word))
    .map(stem);

/** BM25's textbook formula with stems and without stop words. Returns the indexes of the matches, best first. */
export function openBm25(texts: readonly string[]): (query: string) => readonly number[] {
  const documents = texts.map(wordsOf);
  const usual = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [index, words] of documents.entries()) {
    for (const word of words) {
      const posting = postings.get(word) ?? new Map<number, number>();
      postings.set(word, posting.set(index, (posting.get(index) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      const posting = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [index, count] of posting) {
        const length = (documents[index]?.length ?? 0) / usual;
        const share = (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH + LENGTH * length));
        scores.set(index, (scores.get(index) ?? 0) + rarity * share);
      }
    }
    return [...scores].sort(([a, one], [b, other]) => other - one || a - b).map(([index]) => index);
  };
}
