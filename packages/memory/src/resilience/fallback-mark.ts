/** A property that `withFallback` gives its provider, and that wrappers around it pass on. */
export const ANSWERS_FROM_FALLBACK = "answersFromFallback";

/**
 * Whether reads may be answered by another store than the one that has what was written: then what a read doesn't show may
 * be there all the same.
 */
export const mayAnswerFromFallback = (provider: object): boolean => ANSWERS_FROM_FALLBACK in provider;
