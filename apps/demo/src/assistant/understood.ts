const UNDERSTOOD_LENGTH = 2_000;

/** As much of a message as the rules look at, so that a huge one costs no more than a long one. */
export const understood = (text: string): string => text.slice(0, UNDERSTOOD_LENGTH);
