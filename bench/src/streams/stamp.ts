/** Returns the milliseconds since 1970 with fractions, comparable between the processes of a machine. */
const nowMs = (): number => performance.timeOrigin + performance.now();

const STAMP = /<(\d+\.\d+)>/g;

/** A piece of a reply with its creation time. It has about 40 characters, like a model's pieces. */
export const stampedPiece = (nth: number): string =>
  `<${nowMs().toFixed(3)}> a piece of text, number ${nth}. `;

/** Returns the current age of each piece in a text, in milliseconds. */
export function agesIn(text: string): readonly number[] {
  const now = nowMs();
  return Array.from(text.matchAll(STAMP), ([, stamp]) => now - Number(stamp));
}
