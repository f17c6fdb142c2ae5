/** Words that a full stop shortens, and doesn't end a sentence. */
const ABBREVIATED =
  /(?:^|[\s(])(?:(?:dr|mr|mrs|ms|prof|st|jr|sr|mt|vs|etc|approx|no|fig|inc|ltd|co|dept|gen|rev|hon)|(?:[ap]\.m|e\.g|i\.e|p\.s))\.$/i;
/** A single capital: of `J. R. Smith`. */
const INITIAL = /(?:^|[\s.(])\p{Lu}\.$/u;
/** What begins a sentence also behind a single capital. */
const BEGINS = /^\s+(?:My|I|I'm|It|The|This|That|You|We|What|And|But|Please)\b/;
const END = /[.!?…]+["'”’»)\]]*(?=\s|$)|\n+/gu;

/**
 * A text in sentences, each with its end and without the space around it. A line ends one. The full stop of an address, a
 * number, an initial or an abbreviation doesn't.
 */
export function sentencesIn(text: string): readonly string[] {
  const sentences: string[] = [];
  const last = text.trimEnd().length;
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(END)) {
    const end = index + mark.length;
    const before = text.slice(Math.max(start, end - 20), end);
    const isShort = mark === "." && !text.startsWith("\n", end) && end < last;
    if (isShort && ABBREVIATED.test(before)) continue;
    if (isShort && INITIAL.test(before) && !BEGINS.test(text.slice(end, end + 12))) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  return [...sentences, text.slice(start)].map((sentence) => sentence.trim()).filter(Boolean);
}
