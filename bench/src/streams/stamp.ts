/** Milliseconds since 1970 with fractions: processes of one machine agree on them. */
const nowMs = (): number => performance.timeOrigin + performance.now();

const STAMP = /<(\d+\.\d+)>/g;

/** A piece of a reply that says when it was made; some 40 characters, as models send. */
export const stampedPiece = (nth: number): string =>
  `<${nowMs().toFixed(3)}> a piece of text, number ${nth}. `;

/** How old each of the pieces in a text is now, in milliseconds. */
export function agesIn(text: string): readonly number[] {
  const now = nowMs();
  return Array.from(text.matchAll(STAMP), ([, stamp]) => now - Number(stamp));
}
