/** By letter of our tags: letters of Cyrillic, Greek, Armenian, Latin and phonetics that look like it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430\u03b1\u0251\u1d00",
  c: "\u0441\u03f2\u1d04",
  e: "\u0435\u04bd\u1d07",
  f: "\u0493\u0192\ua730",
  g: "\u0261\u0581\u0262",
  i: "\u0456\u03b9\u0131\u026a\u04cf",
  m: "\u043c\u1d0d",
  n: "\u0578\u043f\u0274",
  o: "\u043e\u03bf\u0585\u1d0f",
  r: "\u0433\u0280",
  s: "\u0455\ua731",
  t: "\u0442\u03c4\u1d1b",
  u: "\u03c5\u057d\u1d1c",
  v: "\u03bd\u0475\u1d20",
  y: "\u0443\u03b3\u028f",
};

const letters: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alikes]) => [...alikes].map((alike) => [alike, letter])),
);

/** The letter from a to z that a character looks like, or the character. Of capitals, after `toLowerCase`. */
export const letterOf = (character: string): string => letters.get(character) ?? character;
