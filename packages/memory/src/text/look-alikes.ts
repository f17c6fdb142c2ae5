import { lazy } from "../lazy.ts";

/** By letter: letters of Cyrillic, Greek, Armenian, Latin and phonetics that look like it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430\u03b1\u0251\u1d00",
  b: "\u044c\u0185\u0299",
  c: "\u0441\u03f2\u1d04",
  d: "\u0501\u0257\u1d05",
  e: "\u0435\u04bd\u1d07",
  f: "\u0493\u0192\ua730",
  g: "\u0261\u0581\u0262",
  h: "\u04bb\u0570\u043d\u029c",
  i: "\u0456\u03b9\u0131\u026a\u04cf",
  j: "\u0458\u03f3\u1d0a",
  k: "\u043a\u03ba\u1d0b",
  l: "\u0142\u029f",
  m: "\u043c\u1d0d",
  n: "\u0578\u043f\u0274",
  o: "\u043e\u03bf\u0585\u1d0f",
  p: "\u0440\u03c1\u1d18",
  q: "\u051b\u0566",
  r: "\u0433\u0280",
  s: "\u0455\ua731",
  t: "\u0442\u03c4\u1d1b",
  u: "\u03c5\u057d\u1d1c",
  v: "\u03bd\u0475\u1d20",
  w: "\u051d\u0461\u03c9\u1d21",
  x: "\u0445\u03c7",
  y: "\u0443\u03b3\u028f",
  z: "\u0290\u1d22",
};

const letters: () => ReadonlyMap<string, string> = lazy(
  () =>
    new Map(
      Object.entries(LOOK_ALIKES).flatMap(([letter, alikes]) => [...alikes].map((alike) => [alike, letter])),
    ),
);

/** The letter from a to z that a character looks like, or the character. Of capitals, after `toLowerCase`. */
export const letterOf = (character: string): string => letters().get(character) ?? character;
