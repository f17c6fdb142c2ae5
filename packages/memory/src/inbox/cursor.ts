/** The place of an entry in an inbox. */
export interface InboxPlace {
  /** Tells an inbox from an earlier, erased one of the same conversation. */
  readonly epoch: string;
  /** A whole number from 1. An entry that was put later has a higher number. */
  readonly number: number;
}

const CURSOR = /^(.+):(\d{1,16})$/s;

/**
 * Converts a place into a cursor.
 *
 * @example
 * ```ts
 * import { toInboxCursor } from "@jaf/memory/adapter";
 *
 * const cursor = toInboxCursor({ epoch: "5d2f", number: 12 });
 * ```
 */
export const toInboxCursor = ({ epoch, number }: InboxPlace): string => `${epoch}:${number}`;

/**
 * Converts a cursor into its place. Returns a place before all entries of every inbox, with an empty epoch, if `cursor`
 * is absent or isn't one of {@link toInboxCursor}.
 *
 * @example
 * ```ts
 * import { parseInboxCursor, toInboxCursor } from "@jaf/memory/adapter";
 *
 * const { epoch, number } = parseInboxCursor(toInboxCursor({ epoch: "5d2f", number: 12 }));
 * ```
 */
export function parseInboxCursor(cursor: string | undefined): InboxPlace {
  const [, epoch = "", digits = "0"] = CURSOR.exec(cursor ?? "") ?? [];
  const number = Number(digits);
  return Number.isSafeInteger(number) ? { epoch, number } : { epoch: "", number: 0 };
}
