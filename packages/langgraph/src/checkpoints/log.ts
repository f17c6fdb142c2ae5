import {
  type ConversationReading,
  MemoryCallError,
  type MemoryErrorUnion,
  type MessageSelection,
} from "@jaf/memory";
import { present, unwrap } from "@jaf/memory/internal";
import type { Memory } from "../settings.ts";
import { conversationOf, type Place, placeMetadata, rootOf } from "./place.ts";
import { type CheckpointRecord, messageOf, recordId, recordIn } from "./record.ts";

/** A conversation, as a write expects it. */
export interface Standing {
  readonly conversationId: string;
  readonly incarnation: string;
  readonly exists: boolean;
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

const isConflict = (error: MemoryErrorUnion, ...reasons: readonly string[]): boolean =>
  error._tag === "MemoryConflictError" && reasons.includes(error.reason);

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

  /** Creates the conversation of a thread, for its first child. */
  async function createRoot(place: Place, root: Standing): Promise<Standing> {
    const written = await provider.appendMessages(
      root.conversationId,
      [],
      { ...placeMetadata({ ...place, namespace: "" }), ...present({ userId: root.owner }) },
      { createIfMissing: "unowned", expectedVersion: 0, expectedIncarnation: root.incarnation },
    );
    if (!written.success && !isConflict(written.error, "incarnation", "version"))
      throw new MemoryCallError(written.error);
    const standing = standingOf(root.conversationId, await find(root.conversationId, "none"));
    if (standing.exists || written.success) return standing;
    throw new MemoryCallError(written.error);
  }

  async function append(
    place: Place,
    record: CheckpointRecord,
    options: AppendOptions,
  ): Promise<Standing | "taken"> {
    const { standing, newest } = options;
    const { conversationId, incarnation, exists, owner } = standing;
    const root = standing.root?.exists === false ? await createRoot(place, standing.root) : standing.root;
    const creating = {
      createIfMissing: "unowned",
      expectedVersion: 0,
      ...present({ childOf: root && { conversationId: root.conversationId, incarnation: root.incarnation } }),
    } as const;
    const metadata = {
      ...present({ userId: owner, [NEWEST]: newest }),
      ...(exists ? {} : placeMetadata(place)),
    };
    const written = await provider.appendMessages(conversationId, [messageOf(record)], metadata, {
      messageIds: [recordId(record.checkpoint, record.number)],
      idempotencyKey: record.call,
      expectedIncarnation: incarnation,
      ...(exists ? {} : creating),
    });
    if (written.success) {
      const created = exists ? incarnation : written.receipt?.incarnation;
      if (created !== undefined) return { ...standing, exists: true, incarnation: created };
      // Without a receipt: an earlier attempt made this write, but its answer was lost.
      return (await read(place, "none")).standing;
    }
    if (isConflict(written.error, "message-id")) return "taken";
    if (!exists && isConflict(written.error, "incarnation", "version")) {
      const now = (await read(place, "none")).standing;
      // Another writer created the conversation. Otherwise it was erased, and nothing may be written.
      if (now.exists) return append(place, record, { ...options, standing: now });
    }
    throw new MemoryCallError(written.error);
  }

  return { read, readCheckpoint, append };
}
