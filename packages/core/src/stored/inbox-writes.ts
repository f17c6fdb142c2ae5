import type { ConversationMemory, Inbox, InboxEntry, Message, Result, WriteMetadata } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { abortable } from "../limits/abort.ts";
import { type InboxRecord, readInboxRecord, toInboxMetadata } from "./inbox-record.ts";
import { nextPositionOf } from "./metadata.ts";
import { isFinalReply } from "./new-messages.ts";
import { toResult } from "./provider-result.ts";

/** The maximum number of entries that a run reads at once: as many as an inbox holds. */
const LIMIT = 1_000;

/** What an inbox is opened with. */
export interface InboxOptions {
  readonly conversationId: string;
  readonly signal: AbortSignal | undefined;
}

/** Messages that a run takes from the inbox. */
interface Taking {
  readonly messages: readonly Message[];
  /** The cursor of the last entry that was taken or dropped. */
  readonly readUpTo: string;
  /** The position that the first of the messages gets. */
  readonly position: number;
  /** The loaded and added messages before them. */
  readonly before: readonly Message[];
}

export type InboxWrites = ReturnType<typeof openInboxWrites>;

/**
 * Opens a run's part of an inbox. It knows up to where the entries were read. The cursor is stored with the messages that
 * the run makes of the entries, and only then are the entries removed.
 */
export function openInboxWrites(inbox: Inbox, { conversationId, signal }: InboxOptions) {
  let record: InboxRecord = { readUpTo: undefined, taken: [] };
  let isUnstored = false;
  /** Up to where the entries can be removed, because the cursor is stored or nothing of them is. */
  let removable: string | undefined;

  /** Removes the entries that are no longer needed. If that fails, the next run removes them. */
  async function remove(): Promise<void> {
    const upTo = removable;
    if (upTo === undefined) return;
    removable = undefined;
    const removing = toResult("remove", () => inbox.remove({ conversationId, upTo }));
    await abortable(removing, signal).catch(() => undefined);
  }

  return {
    /** Sets the loaded conversation, whose metadata say up to where the entries were read. */
    loaded: (conversation: ConversationMemory | null): void => {
      const stored = readInboxRecord(conversation);
      const end = nextPositionOf(conversation);
      const taken = stored.taken.filter(([position]) => position < end);
      record = { ...stored, taken };
      // An edit gives the positions of removed messages to new ones, so the first write stores the record without them.
      isUnstored = taken.length < stored.taken.length;
      removable = record.readUpTo;
    },
    /** Returns the entries that wait. Rejects if the run is aborted. */
    read: async (): Promise<Result<readonly InboxEntry[]>> => {
      const query = { conversationId, ...present({ after: record.readUpTo }), limit: LIMIT };
      const reading = Promise.all([toResult("read", () => inbox.read(query)), remove()]);
      const [entries] = await abortable(reading, signal);
      return entries;
    },
    /** Sets what was taken. The next write has to store it. */
    took: ({ messages, readUpTo, position, before }: Taking): void => {
      const replied = position - before.length + before.findLastIndex(isFinalReply);
      const taken = [...record.taken.filter(([at]) => at > replied), [position, messages.length] as const];
      record = { readUpTo, taken };
      isUnstored = true;
    },
    /** Drops entries of which the run makes no message. */
    dropped: async (readUpTo: string): Promise<void> => {
      record = { readUpTo, taken: record.taken };
      // Earlier entries must stay until the messages that were made of them are stored.
      if (isUnstored) return;
      removable = readUpTo;
      await remove();
    },
    /** Calls `write` with the metadata that it has to store, and removes the entries if it has succeeded. */
    storing: async (
      write: (metadata: WriteMetadata | undefined) => Promise<Result<void>>,
    ): Promise<Result<void>> => {
      if (!isUnstored) return write(undefined);
      isUnstored = false;
      const { readUpTo } = record;
      const written = await write(toInboxMetadata(record));
      if (!written.success) return written;
      removable = readUpTo;
      await remove();
      return written;
    },
  };
}
