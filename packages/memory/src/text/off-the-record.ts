/** The text in a user's message that says that nothing of the turn is remembered. `@jaf/user-memory` exports it. */
export const OFF_THE_RECORD = "[off the record]";

/** Marks a user's message with {@link OFF_THE_RECORD}, unless it is marked. */
export const offTheRecord = (text: string): string =>
  text.includes(OFF_THE_RECORD) ? text : `${OFF_THE_RECORD} ${text}`;
