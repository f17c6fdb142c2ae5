import type { ConversationMemory, MemoryErrorUnion, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/engine";
import type { Head } from "./loaded.ts";

/** Metadata may be changed by somebody else, a title say, as often as this while a note is being written. */
const MOST_ROUNDS = 8;

/** A note in a conversation's metadata that may only follow the one that was seen there. */
export interface NoteWrite {
  /** Writes it, expecting the metadata version that was seen last. */
  readonly write: () => Promise<Result<void>>;
  /** Whether the store compares metadata versions; if not, what was written is looked for. */
  readonly compares: () => boolean;
  /** Reads the head, from which the next write knows what to expect. */
  readonly look: () => Promise<Result<Head>>;
  /** Whether the note may be written in spite of what has changed: it is none of the notes that it competes with. */
  readonly mayFollow: (stored: ConversationMemory | null) => boolean;
  /** Whether the note is the one that is there. */
  readonly isThere: (stored: ConversationMemory | null) => boolean;
}

export type NoteOutcome =
  | { readonly written: true }
  /** Another note was faster. With what is stored now. */
  | { readonly written: false; readonly stored: ConversationMemory | null };

/**
 * Of all that write a note after the same one, a store that compares metadata versions lets one succeed. In any other the
 * last one has it, as far as those that look can tell.
 */
export async function compareAndSet(note: NoteWrite): Promise<Result<NoteOutcome>> {
  let stored: ConversationMemory | null = null;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const written = await note.write();
    if (written.success && note.compares()) return createSuccess({ written: true });
    if (!written.success && !isOutdated(written.error)) return written;
    const head = await note.look();
    if (!head.success) return head;
    stored = head.data.conversation;
    if (written.success && note.isThere(stored)) return createSuccess({ written: true });
    if (written.success || !note.mayFollow(stored)) break;
  }
  return createSuccess({ written: false, stored });
}

const isOutdated = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "metadata-version";
