const MAX_WORDS = 60;
const MAX_LENGTH = 500;
/**
 * Not the rules of `text/sentences.ts`, which take some ten times as long: a first search goes through all that was ever said. Where
 * it cuts in the wrong place (`e.g.`) a passage is found a little worse; nobody is shown one.
 */
const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟\n]*/g;
const WORD = /\S+/g;

/**
 * A message in passages, one after the other: whole sentences of about sixty words together, at most 500 UTF-16 units. A longer
 * sentence is divided between words, where it has any.
 */
export function* passagesIn(text: string): Generator<string> {
  let passage = "";
  let words = 0;
  for (const piece of piecesIn(text)) {
    const more = piece.match(WORD)?.length ?? 0;
    if (passage !== "" && (words + more > MAX_WORDS || passage.length + piece.length > MAX_LENGTH)) {
      yield passage;
      passage = "";
      words = 0;
    }
    passage += piece;
    words += more;
  }
  if (passage !== "") yield passage;
}

function* piecesIn(text: string): Generator<string> {
  for (const [sentence] of text.matchAll(SENTENCE)) {
    let start = 0;
    while (sentence.length - start > MAX_LENGTH) {
      const end = cutBefore(sentence, start, start + MAX_LENGTH);
      yield sentence.slice(start, end);
      start = end;
    }
    yield sentence.slice(start);
  }
}

function cutBefore(text: string, start: number, end: number): number {
  for (let at = end; at > start; at--) if (text[at] === " ") return at;
  const isSplitPair = /[\ud800-\udbff]/.test(text[end - 1] ?? "");
  return isSplitPair ? end - 1 : end;
}
