import type { Token } from "./person.ts";
import type { Utterance } from "./utterance.ts";
import type { Word } from "./words.ts";

/** Evidence that stands in more places than this was made to. */
const MAX_PLACES = 8;

/** Where evidence stands in what was said. */
export interface Place {
  readonly utterance: Utterance;
  /** Index of the message among those said. */
  readonly message: number;
  /** The words of the evidence. */
  readonly words: readonly Token[];
  /** Whether all of them are the user's own. */
  readonly isOwn: boolean;
}

/** Where words stand in the messages: a few places, those of the user's own words first. */
export function placesOf(quoted: readonly Word[], utterances: readonly Utterance[]): readonly Place[] {
  const borders = bordersOf(quoted);
  const places = utterances.flatMap((utterance, message) => {
    const { words, own } = utterance;
    return startsIn(words, quoted, borders).map((at) => {
      const end = at + quoted.length;
      const isOwn = own.slice(at, end).every(Boolean);
      return { utterance, message, words: words.slice(at, end), isOwn };
    });
  });
  return places.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn)).slice(0, MAX_PLACES);
}

/** Of each beginning of the words, how much of its end is a beginning, too (Knuth, Morris and Pratt). */
function bordersOf(quoted: readonly Word[]): readonly number[] {
  const borders: number[] = [0];
  for (let index = 1; index < quoted.length; index++) {
    borders.push(step(quoted, borders, { matched: borders[index - 1] ?? 0, next: quoted[index] }));
  }
  return borders;
}

/** Places don't overlap, so that all of them are looked at in linear time. */
function startsIn(
  words: readonly Token[],
  quoted: readonly Word[],
  borders: readonly number[],
): readonly number[] {
  const starts: number[] = [];
  let matched = 0;
  for (const [index, next] of words.entries()) {
    matched = step(quoted, borders, { matched, next });
    if (matched < quoted.length) continue;
    starts.push(index + 1 - matched);
    matched = 0;
  }
  return starts;
}

interface Progress {
  readonly matched: number;
  readonly next: Word | undefined;
}

function step(quoted: readonly Word[], borders: readonly number[], { matched, next }: Progress): number {
  let length = matched;
  while (length > 0 && quoted[length]?.text !== next?.text) length = borders[length - 1] ?? 0;
  return quoted[length]?.text === next?.text ? length + 1 : 0;
}
