import type { ConversationMemory, Message } from "@jaf/memory";
import * as z from "zod";
import type { FORMATS } from "./formats.ts";
import { firstPositionOf } from "./metadata.ts";

/** The key of the inbox's part in a conversation's metadata. */
// A key of its own, because an earlier release replaces the engine's part and must not lose how far the inbox was read.
const KEY = "jafInbox" satisfies keyof typeof FORMATS;
const FORMAT = 1;

/** How far the inbox of a conversation was read, and which messages were taken from it. */
export interface InboxRecord {
  /** The cursor of the last entry that was taken or dropped. `undefined`: nothing was read yet. */
  readonly readUpTo: string | undefined;
  /**
   * The messages that were taken since the last final reply: for each write the position of the first message and the
   * number of messages. Earlier ones may be included.
   */
  readonly taken: readonly Taken[];
}

type Taken = readonly [position: number, count: number];

const recordSchema = z.object({
  format: z.literal(FORMAT),
  readUpTo: z.string(),
  taken: z.array(z.tuple([z.int().min(0), z.int().min(1)])).catch([]),
});

const NOTHING: InboxRecord = { readUpTo: undefined, taken: [] };

type Stored = Pick<ConversationMemory, "metadata">;

/** Returns the stored record of the inbox. */
export const readInboxRecord = (stored: Stored | null): InboxRecord =>
  recordSchema.safeParse(stored?.metadata?.[KEY]).data ?? NOTHING;

export const toInboxMetadata = ({ readUpTo, taken }: InboxRecord) => ({
  [KEY]: { format: FORMAT, readUpTo, taken },
});

/** Returns whether runs have taken messages of the inbox into this conversation. */
export const hasTaken = ({ metadata }: Stored): boolean => metadata?.[KEY] !== undefined;

/**
 * Returns the loaded messages without those that were taken from the inbox since the last final reply. Some that were
 * taken before that can be missing, too.
 */
export function withoutTaken(conversation: ConversationMemory): readonly Message[] {
  const { messages } = conversation;
  const taken = takenPositions(conversation);
  if (taken.size === 0) return messages;
  const first = firstPositionOf(conversation);
  return messages.filter(({ role }, index) => role !== "user" || !taken.has(first + index));
}

/**
 * Returns the positions of the user messages that runs have taken from the inbox since the last final reply. Earlier ones
 * may be included.
 */
export const takenPositions = (stored: Stored): ReadonlySet<number> =>
  new Set(readInboxRecord(stored).taken.flatMap(positionsOf));

const positionsOf = ([position, count]: Taken): readonly number[] =>
  Array.from({ length: count }, (_, index) => position + index);
