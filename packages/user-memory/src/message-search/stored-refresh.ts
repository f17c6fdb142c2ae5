import type { MemoryProvider, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { readFrom } from "@jaf/memory/internal";
import { createTermOf, type TermOf, termsOf } from "../ranker/index.ts";
import { MOST_OF_A_TERM, passagesIn, searchedText, WINDOW, type YieldIfDue } from "./conversation-index.ts";
import type { ChangedConversation, MessageIndex, NewPassage } from "./message-index.ts";
import { createTermKeys, type TermKeys } from "./term-keys.ts";

/** How many changed conversations are listed in one call. */
const LISTED = 100;
/** How many passages of one message are indexed. They have about a million characters. */
const MOST_PASSAGES = 2_000;

export interface StoredScope {
  readonly provider: MemoryProvider;
  readonly index: MessageIndex;
  readonly userId: string;
  readonly yieldIfDue: YieldIfDue;
}

/** How far a refresh of an index came. */
export interface RefreshProgress {
  /** The number of messages that were read to be indexed. */
  readonly read: number;
  /** Whether all messages of the user are indexed. If not, the next refresh continues. */
  readonly isComplete: boolean;
}

/** Indexes messages that aren't indexed yet, of the most recently active conversations first: about `most` messages. */
export async function refreshStored(scope: StoredScope, most: number): Promise<Result<RefreshProgress>> {
  // Each window of messages is written on its own, so an interrupted refresh loses at most one window, and a refresh in
  // another process finds what is left.
  const { index, userId } = scope;
  const indexing = { ...scope, termOf: createTermOf(), keyOf: createTermKeys(userId) };
  let read = 0;
  for (;;) {
    const changed = await index.changed(userId, LISTED);
    if (changed.length === 0) return createSuccess({ read, isComplete: true });
    let written = 0;
    for (const conversation of changed) {
      const done = await indexNew(indexing, conversation, most - read);
      if (!done.success) return done;
      read += done.data.read;
      written += done.data.written;
      if (read >= most && conversation !== changed.at(-1)) return createSuccess({ read, isComplete: false });
    }
    // Others may write to these conversations constantly.
    if (written === 0) return createSuccess({ read, isComplete: false });
  }
}

interface Indexing extends StoredScope {
  readonly termOf: TermOf;
  readonly keyOf: TermKeys;
}

interface Indexed {
  readonly read: number;
  /** The number of batches that were written. */
  readonly written: number;
}

/** Indexes the new messages of a conversation, until `most` are read, it is complete, or another process changes it. */
async function indexNew(
  { provider, index, userId, ...indexing }: Indexing,
  { conversationId, indexedTo: from }: ChangedConversation,
  most: number,
): Promise<Result<Indexed>> {
  let indexedTo = from;
  let read = 0;
  let written = 0;
  for (;;) {
    const window = await readFrom(provider, conversationId, {
      messages: { after: indexedTo - 1, limit: WINDOW },
    });
    if (!window.success) return window;
    const { conversation, firstPosition } = window.data;
    const { incarnation, version } = conversation?.metadata ?? {};
    // The conversation was deleted meanwhile, and its id can belong to another user now.
    if (conversation?.userId !== userId || incarnation === undefined || version === undefined) break;
    const { messages } = conversation;
    const passages: NewPassage[] = [];
    for (const [offset, message] of messages.entries())
      passages.push(...(await passagesOf(message, firstPosition + offset, indexing)));
    const nextPosition = Math.max(indexedTo, firstPosition + messages.length);
    const batch = { conversationId, revision: { incarnation, version }, indexedTo, nextPosition, passages };
    if (!(await index.write(userId, batch))) break;
    written++;
    read += messages.length;
    indexedTo = nextPosition;
    if (messages.length < WINDOW || read >= most) break;
  }
  return createSuccess({ read, written });
}

type Terms = Pick<Indexing, "termOf" | "keyOf" | "yieldIfDue">;

async function passagesOf(
  message: Message,
  position: number,
  { termOf, keyOf, yieldIfDue }: Terms,
): Promise<readonly NewPassage[]> {
  const passages: NewPassage[] = [];
  const isAssistant = message.role === "assistant";
  for (const passage of passagesIn(searchedText(message))) {
    const waiting = yieldIfDue();
    if (waiting !== undefined) await waiting;
    const terms = termsOf(passage, { termOf });
    if (terms.length === 0) continue;
    const keys = terms.flatMap(({ term, weight }) =>
      Array<number>(Math.min(weight, MOST_OF_A_TERM)).fill(keyOf(term)),
    );
    passages.push({ position, isAssistant, length: terms.length, terms: keys });
    if (passages.length === MOST_PASSAGES) break;
  }
  return passages;
}
