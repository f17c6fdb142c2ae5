import { ownField } from "../codec/same-json.ts";
import {
  createMemoryConflictError,
  createSuccess,
  isMemoryConflictError,
  type MemoryConflictReason,
} from "../contract/errors.ts";
import type { Message, RichMessage } from "../contract/message.ts";
import type { WriteMetadata, WriteOptions } from "../contract/provider.ts";
import { MemoryCallError, unwrap } from "../contract/unwrap.ts";
import {
  receiptOf,
  type VersionedMemoryProvider,
  type WriteReceipt,
} from "../contract/versioned-provider.ts";
import { present } from "../runtime/objects.ts";

/** A conversation, and the user who owns it, if the owner is checked. */
export interface Place {
  readonly provider: VersionedMemoryProvider;
  readonly conversationId: string;
  readonly userId?: string | undefined;
}

/** A conversation as it was read or written last. Another user's conversation doesn't exist. */
export interface Seen {
  readonly exists: boolean;
  readonly incarnation: string;
}

/** A change of the end of a conversation. All conditions are those of `appendMessages`. */
export interface EndWrite
  extends Pick<
    WriteOptions,
    "childOf" | "dropLast" | "expectedMetadataVersion" | "expectedVersion" | "idempotencyKey" | "messageIds"
  > {
  readonly messages: readonly RichMessage[];
  readonly metadata?: WriteMetadata;
}

/** A conversation after a write. */
export interface Written extends Seen {
  /** Absent if an earlier attempt made the write, but its answer was lost. */
  readonly receipt: WriteReceipt | undefined;
}

/** Whether an error that was thrown is a conflict for one of these reasons. */
export const isConflict = (error: unknown, ...reasons: readonly MemoryConflictReason[]): boolean =>
  error instanceof MemoryCallError &&
  isMemoryConflictError(error.memoryError) &&
  reasons.includes(error.memoryError.reason);

/** What {@link look} finds. */
interface Looked extends Seen {
  /** The incarnation that the conversation's creator had seen. `undefined` if `appendTo` didn't create it. */
  readonly absent: unknown;
}

/** The field of the metadata for what the conversation's creator had seen: the incarnation before the creation. */
const ABSENT = "absentIncarnation";

/** Reads whether a conversation exists. Throws a `MemoryCallError`. */
export async function look({ provider, conversationId, userId }: Place): Promise<Looked> {
  const options = { messages: "none", ...present({ userId, owner: userId }) } as const;
  const { conversation, incarnation } = await unwrap("readConversation", () =>
    provider.readConversation(conversationId, options),
  );
  const absent = conversation?.metadata && ownField(conversation.metadata, ABSENT);
  return { exists: conversation !== null, incarnation, absent };
}

/**
 * Writes to the end of a conversation as it was seen, which is created if it was missing. Throws a `MemoryCallError` with
 * a conflict if it was erased or created since.
 */
export async function writeTo(place: Place, seen: Seen, write: EndWrite): Promise<Written> {
  const { provider, conversationId, userId } = place;
  const { messages, metadata, ...conditions } = write;
  const options: WriteOptions = {
    ...(seen.exists ? {} : { expectedVersion: 0 }),
    idempotencyKey: crypto.randomUUID(),
    ...conditions,
    createIfMissing: "unowned",
    expectedIncarnation: seen.incarnation,
  };
  const given = { ...metadata, ...present({ userId }) };
  const receipt = await unwrap("appendMessages", async () => {
    const written = await provider.appendMessages(
      conversationId,
      messages as readonly Message[],
      given,
      options,
    );
    return written.success ? createSuccess(receiptOf(written)) : written;
  });
  if (seen.exists) return { exists: true, incarnation: seen.incarnation, receipt };
  if (receipt?.incarnation !== undefined) return { exists: true, incarnation: receipt.incarnation, receipt };
  // Without a receipt, only a read tells which conversation was created.
  const { exists, incarnation } = await look(place);
  if (!exists) throw new MemoryCallError(createMemoryConflictError("incarnation"));
  return { exists, incarnation, receipt };
}

/**
 * Appends to a conversation like {@link writeTo}. If another writer has created the conversation since it was seen, both
 * append to it, unless something was erased between what the two have seen. `seen`: `undefined` if the writer hasn't seen
 * the conversation yet.
 */
export async function appendTo(
  place: Place,
  seen: Seen | undefined,
  write: Omit<EndWrite, "dropLast" | "expectedVersion">,
): Promise<Written> {
  const before = seen ?? (await look(place));
  if (before.exists) return writeTo(place, before, write);
  try {
    const metadata = { ...write.metadata, [ABSENT]: before.incarnation };
    return await writeTo(place, before, { ...write, metadata });
  } catch (error) {
    if (!isConflict(error, "version", "incarnation")) throw error;
    const now = await look(place);
    if (!now.exists || (seen !== undefined && now.absent !== seen.incarnation)) throw error;
    return writeTo(place, now, write);
  }
}
