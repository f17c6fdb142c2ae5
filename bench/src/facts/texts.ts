const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cla dri flo gru".split(
  " ",
);
const VOCABULARY = 4_000;
/** How even the frequencies of the commonest words are: with 20, the commonest one is in 9 of 100 facts. */
const EVENNESS = 20;

const wordOf = (n: number): string => {
  const base = SYLLABLES.length;
  const parts = [n, n / base, n / base ** 2].map((part) => SYLLABLES[Math.floor(part) % base]);
  return `${parts.join("")}n`;
};

const words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
const sums: number[] = [];
for (let n = 0; n < VOCABULARY; n++) sums.push((sums.at(-1) ?? 0) + 1 / (n + EVENNESS));

export interface Texts {
  /** Returns a sentence with `count` words that an index keeps. Common words are drawn more often, as by Zipf's law. */
  readonly sentence: (count: number) => string;
}

/** Creates a generator of texts, which are the same for the same seed. */
export function createTexts(seed: number): Texts {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const draw = (): string => {
    const at = random() * (sums.at(-1) ?? 0);
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return words[low] ?? "";
  };
  return { sentence: (count) => Array.from({ length: count }, draw).join(" and the ") };
}
