/** From its first character to behind its last. */
export type Span = readonly [from: number, end: number];

/** Where the group `secret` of a pattern stands, which has the flags `d` and `g`. */
export const secretsBy = (pattern: RegExp, text: string): readonly Span[] =>
  [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const span = indices?.groups?.["secret"];
    return span === undefined ? [] : [span];
  });
