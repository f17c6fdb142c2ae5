import type { ConversationReading, MessageSelection } from "@jaf/memory";
import { appendTo, isConflict, present, type Seen, unwrap } from "@jaf/memory/internal";
import type { Memory } from "../settings.ts";
import { conversationOf, type Place, placeMetadata, rootOf } from "./place.ts";
import { type CheckpointRecord, messageOf, recordId, recordIn } from "./record.ts";

/** A conversation, as a write expects it. */
export interface Standing extends Seen {
  readonly conversationId: string;
  readonly owner: string | undefined;
  /** The newest checkpoint, if a checkpoint that is older was put after it. Otherwise it is among the last records. */
  readonly newest: string | undefined;
  /** The conversation of the thread, if this one is missing and would become its child. */
  readonly root?: Standing;
}

/** What a read found. */
export interface Page {
  readonly standing: Standing;
  /** In the order of the writes. */
  readonly records: readonly CheckpointRecord[];
  /** The position of the first record. */
  readonly firstPosition: number;
  /** Whether no records stand before these. */
  readonly isFirst: boolean;
}

/** The field of the metadata for {@link Standing.newest}. */
const NEWEST = "newestCheckpoint";

export interface AppendOptions {
  /** The conversation as it was read. The write is refused if the conversation was erased since. */
  readonly standing: Standing;
  /** The new value of {@link Standing.newest}. Default: it stays as it is. */
  readonly newest?: string;
}

/** The records of checkpoints in the conversations of a provider. */
export interface CheckpointLog {
  readonly read: (place: Place, messages: MessageSelection) => Promise<Page>;
  /** Returns all records of a checkpoint. */
  readonly readCheckpoint: (place: Place, checkpoint: string) => Promise<Page>;
  /**
   * Appends a record, and returns the conversation afterwards. Returns `"taken"` if the checkpoint already has a record
   * with this number.
   */
  readonly append: (
    place: Place,
    record: CheckpointRecord,
    options: AppendOptions,
  ) => Promise<Standing | "taken">;
}

/** The number of records of a checkpoint that are read at once. Most checkpoints have one or two. */
const AT_ONCE = 4;

export function createCheckpointLog({ provider, userId }: Memory): CheckpointLog {
  const find = (id: string, messages: MessageSelection): Promise<ConversationReading> =>
    unwrap("readConversation", () =>
      provider.readConversation(id, { messages, ...present({ userId, owner: userId }) }),
    );

  function standingOf(conversationId: string, { conversation, incarnation }: ConversationReading): Standing {
    const newest: unknown = conversation?.metadata?.[NEWEST];
    return {
      conversationId,
      incarnation,
      exists: conversation !== null,
      owner: conversation === null ? userId : conversation.userId,
      newest: typeof newest === "string" ? newest : undefined,
    };
  }

  async function read(place: Place, messages: MessageSelection): Promise<Page> {
    const id = conversationOf(place);
    const reading = await find(id, messages);
    const found = standingOf(id, reading);
    const rootId = rootOf(place);
    const root = found.exists || id === rootId ? undefined : standingOf(rootId, await find(rootId, "none"));
    const { messages: selected = [], metadata } = reading.conversation ?? {};
    const oldest = (metadata?.nextPosition ?? 0) - (metadata?.totalMessages ?? 0);
    return {
      standing: root === undefined ? found : { ...found, root, owner: root.owner },
      records: selected.flatMap((message) => recordIn(message) ?? []),
      firstPosition: reading.firstPosition,
      isFirst: selected.length === 0 || reading.firstPosition <= oldest,
    };
  }

  async function readCheckpoint(place: Place, checkpoint: string): Promise<Page> {
    const readNumbers = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          read(place, { messageId: recordId(checkpoint, from + index) }),
        ),
      );
    const [first, ...others] = (await readNumbers(0, AT_ONCE)) as [Page, ...Page[]];
    const records = [first, ...others].flatMap((page) => page.records);
    for (let expected = AT_ONCE; records.length === expected; expected *= 2) {
      for (const page of await readNumbers(expected, expected)) records.push(...page.records);
    }
    return { ...first, records };
  }

  const appendAt = ({ conversationId, owner, ...seen }: Standing, write: Parameters<typeof appendTo>[2]) =>
    appendTo({ provider, conversationId, userId: owner }, seen, write);

  /** The parent of a new conversation: the one of the thread, which is created if this is its first child. */
  async function parentOf({ exists, root }: Standing) {
    if (exists || root === undefined) return undefined;
    const { incarnation } = root.exists ? root : await appendAt(root, { messages: [] });
    return { conversationId: root.conversationId, incarnation };
  }

  async function append(
    place: Place,
    record: CheckpointRecord,
    { standing, newest }: AppendOptions,
  ): Promise<Standing | "taken"> {
    const childOf = await parentOf(standing);
    try {
      const { incarnation } = await appendAt(standing, {
        messages: [messageOf(record)],
        messageIds: [recordId(record.checkpoint, record.number)],
        metadata: { ...present({ [NEWEST]: newest }), ...(standing.exists ? {} : placeMetadata(place)) },
        ...present({ childOf }),
      });
      return { ...standing, exists: true, incarnation };
    } catch (error) {
      if (isConflict(error, "message-id")) return "taken";
      throw error;
    }
  }

  return { read, readCheckpoint, append };
}
