/** Where a sentence ends: before its sign at `at`, behind it at `end`. */
export interface SentenceEnd {
  readonly sign: string;
  readonly at: number;
  readonly end: number;
}

/** Greek asks with what elsewhere is a semicolon. */
const END = /[.!?…]+(?=[\s"'”’»)\]]|$)|[。！？؟۔।॥።፧]+|(?<=\p{sc=Greek});|\n+/gu;
const ASKS = /[?？؟፧;]/u;
const LONGEST_ABBREVIATION = 8;
const ABBREVIATION =
  /(?:^|[^\p{L}\p{N}])(?:drs?|mrs?|ms|profs?|sts?|e\.g|i\.e|eg|ie|z\.b|d\.h|u\.a|vs|nr|bzw|ca|approx|jr|sr|sra|mme|mlle|p\.ej|[a-hj-z])$/iu;

/** The ends of the sentences of a text, in order, that of the text itself among them. */
export function sentenceEnds(text: string): readonly SentenceEnd[] {
  const ends = [...text.matchAll(END)]
    .map(({ 0: sign, index }) => ({ sign, at: index, end: index + sign.length }))
    .filter(({ sign, at }) => sign !== "." || !isAbbreviated(text, at));
  return [...ends, { sign: "", at: text.length, end: text.length }];
}

/** Whether a sentence that ends so is a question. */
export const isAsked = ({ sign }: SentenceEnd): boolean => ASKS.test(sign);

const isAbbreviated = (text: string, dot: number): boolean =>
  dot + 1 < text.length &&
  !text.startsWith("\n", dot + 1) &&
  ABBREVIATION.test(text.slice(Math.max(0, dot - LONGEST_ABBREVIATION), dot));
