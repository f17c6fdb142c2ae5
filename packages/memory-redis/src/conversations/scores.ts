/**
 * How much lower than its time the score of a child is in the index of its user. So lists, which read only scores from
 * `LISTED_FROM` on, don't meet children, and `clearUser` finds them in the same index.
 */
// Times of conversations are in the years 1 to 9999: from -6.3e13 to 2.6e14. Half a millisecond is exact below 2^52.
export const CHILD_OFFSET_MS = 1e15;

/** The lowest score of a conversation that isn't a child. */
export const LISTED_FROM = -CHILD_OFFSET_MS / 2;
