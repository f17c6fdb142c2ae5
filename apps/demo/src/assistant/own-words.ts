import { holdsSecret } from "@jaf/user-memory";
import { linesOf } from "./foreign-lines.ts";
import { isReported } from "./reported.ts";
import { sentencesIn } from "./sentences.ts";

/** What begins a statement of whoever speaks. */
const STATEMENT = /\b(?:my|i|i'm|i've|i'd|me|mine|our|we|call me)\b/i;
const BEGINS = /\b(?:my\s+[a-z]|i\s+[a-z]|i'm\b|i've\b|i'd\b|call me\b|we\s+[a-z]|our\s+[a-z])/gi;
const QUOTES =
  /"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|(?<![\p{L}\p{N}])['‘][^'’\n]*(?:['’](?=\p{L})[^'’\n]*)*['’](?!\p{L})|`[^`\n]*`/gu;
const TAG = /<\/?[a-z][^<>\n]*>/i;
/** A longer sentence is a text without any, of which nothing is told for sure. */
const LONGEST = 2_000;
/** Stands for what was cut out; user memory ends a passage there, and quotes none that holds it. */
const CUT = "\ufffc";

/** What stands in quotation marks and speaks of itself is somebody's speech; a name in them is a name. */
const withoutSpeech = (text: string): string =>
  text.replaceAll(QUOTES, (quotation) => (STATEMENT.test(quotation) ? CUT : quotation.slice(1, -1)));

/** The sentences of a message that are the user's own, without what is quoted in them and without those that hold a secret. */
export const ownSentences = (text: string): readonly string[] =>
  judged(text).flatMap(({ sentence, isOwn }) => (isOwn && !holdsSecret(sentence) ? [sentence] : []));

/** A message without what is somebody else's or a secret: the same text if it is all the user's. */
export function ownWords(text: string): string {
  const parts = judged(text);
  const isKept = ({ isOwn, original }: Judged): boolean => isOwn && !holdsSecret(original);
  if (parts.every(isKept)) return text;
  return parts
    .map((part) => (isKept(part) ? part.original : `\n${CUT}\n`))
    .join(" ")
    .trim();
}

interface Judged {
  readonly sentence: string;
  readonly original: string;
  readonly isOwn: boolean;
}

function judged(text: string): readonly Judged[] {
  return linesOf(text).flatMap(({ line, isForeign }) => {
    let isOpened = false;
    return sentencesIn(line).map((original): Judged => {
      if (isForeign || isOpened || original.length > LONGEST || TAG.test(original))
        return { sentence: "", original, isOwn: false };
      const sentence = withoutSpeech(original);
      const isForeignHere = !original.includes(CUT) && sentence.includes(CUT);
      const reported = firstReported(sentence);
      // Behind a colon the other one's words go on to the end of the line.
      isOpened = reported?.isAnnounced ?? false;
      return { sentence, original, isOwn: reported === undefined && !isForeignHere };
    });
  });
}

/** The first statement of a sentence that is told as somebody else's. */
function firstReported(sentence: string): { readonly isAnnounced: boolean } | undefined {
  for (const { index } of sentence.matchAll(BEGINS)) {
    const before = sentence.slice(0, index);
    if (isReported(before, sentence.slice(index))) return { isAnnounced: /[:：][^:：]*$/.test(before) };
  }
  return undefined;
}
