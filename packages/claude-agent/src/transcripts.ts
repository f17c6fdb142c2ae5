import {
  MemoryCallError,
  type RichMessage,
  type VersionedMemoryProvider,
  type WriteMetadata,
} from "@jaf/memory";
import {
  createMemoryConflictError,
  idIssue,
  isConflict,
  isMediaResolver,
  type Seen,
  setBounded,
  unwrap,
  writeTo,
} from "@jaf/memory/internal";
import { messageOf } from "./entries.ts";
import type { TranscriptPlace } from "./keys.ts";
import type { SessionKey, SessionStoreEntry } from "./types.ts";

/** What a write of entries knows of the transcript: its metadata, or `undefined` if it doesn't exist. */
export interface Head extends Seen {
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** What is stored of a transcript beside its entries. */
export interface Description {
  /** Whether the metadata depend on each entry of the transcript, so that no entry may count twice. */
  readonly countsEntries: (key: SessionKey) => boolean;
  /** The metadata that a write of entries sets. `undefined`: none, because the transcript has all it needs. */
  readonly metadataOf: (
    key: SessionKey,
    entries: readonly SessionStoreEntry[],
    head: Head,
  ) => WriteMetadata | undefined;
}

/** Transcripts as conversations. */
export interface Transcripts {
  /** Appends entries. An entry whose uuid is stored is skipped. Creates the transcript, and that of its session. */
  readonly append: (place: TranscriptPlace, entries: readonly SessionStoreEntry[]) => Promise<void>;
  /** The stored messages; `null` if the transcript doesn't exist. */
  readonly read: (place: TranscriptPlace) => Promise<readonly RichMessage[] | null>;
  readonly remove: (place: TranscriptPlace) => Promise<void>;
}

/** How many transcripts a store remembers. */
const REMEMBERED = 1_000;

/** How many entries are looked up at the same time. */
const LOOKUPS = 8;

/** A transcript that a store remembers. */
interface Met {
  readonly incarnation: string;
  /** The conversation of the session's main transcript. */
  readonly parentId: string | undefined;
}

export function createTranscripts(provider: VersionedMemoryProvider, description: Description): Transcripts {
  // The incarnations of transcripts that this store has met, so that a late write doesn't bring back an erased one.
  const met = new Map<string, Met>();
  const meet = ({ conversationId, parent }: TranscriptPlace, incarnation: string) =>
    setBounded(met, [conversationId, { incarnation, parentId: parent?.conversationId }], REMEMBERED);

  /** Forgets a transcript and those of its subagents. */
  const forget = (deletedId: string) => {
    for (const [id, { parentId }] of met) if (id === deletedId || parentId === deletedId) met.delete(id);
  };

  async function headOf(place: TranscriptPlace): Promise<Head> {
    const { conversationId, owner } = place;
    const options = { messages: "none", owner, userId: owner } as const;
    const { conversation, incarnation } = await unwrap("readConversation", () =>
      provider.readConversation(conversationId, options),
    );
    const known = met.get(conversationId)?.incarnation;
    if (known !== undefined && known !== incarnation) {
      throw new MemoryCallError(createMemoryConflictError("incarnation", { operation: "append" }));
    }
    if (conversation !== null) meet(place, incarnation);
    return { exists: conversation !== null, metadata: conversation?.metadata, incarnation };
  }

  /** The session's main transcript, which is created empty if a subagent's entries come first. */
  async function parentOf({ parent: main }: TranscriptPlace) {
    if (main === undefined) return undefined;
    if (!(await headOf(main)).exists) await append(main, []);
    return { conversationId: main.conversationId, incarnation: (await headOf(main)).incarnation };
  }

  async function isStored({ conversationId }: TranscriptPlace, entry: SessionStoreEntry): Promise<boolean> {
    const messageId = messageIdOf(entry);
    if (messageId === null) return false;
    const { conversation } = await unwrap("readConversation", () =>
      provider.readConversation(conversationId, { messages: { messageId } }),
    );
    return (conversation?.messages.length ?? 0) > 0;
  }

  /** The entries without those whose uuid is stored. */
  async function unknownEntries(place: TranscriptPlace, entries: readonly SessionStoreEntry[]) {
    const unknown: SessionStoreEntry[] = [];
    for (let first = 0; first < entries.length; first += LOOKUPS) {
      const some = entries.slice(first, first + LOOKUPS);
      const stored = await Promise.all(some.map((entry) => isStored(place, entry)));
      unknown.push(...some.filter((_, index) => stored[index] === false));
    }
    return unknown;
  }

  async function append(place: TranscriptPlace, given: readonly SessionStoreEntry[]): Promise<void> {
    let entries = firstOfEach(given);
    for (;;) {
      const head = await headOf(place);
      if (head.exists && description.countsEntries(place.key)) {
        entries = await unknownEntries(place, entries);
        if (entries.length === 0) return;
      }
      const childOf = head.exists ? undefined : await parentOf(place);
      const metadata = description.metadataOf(place.key, entries, head);
      try {
        const { conversationId, owner: userId } = place;
        const written = await writeTo({ provider, conversationId, userId }, head, {
          messages: entries.map(messageOf),
          messageIds: entries.map(messageIdOf),
          ...(metadata === undefined ? {} : { metadata }),
          ...(childOf === undefined ? {} : { childOf }),
          // The summary of the entries depends on the earlier summary.
          ...(head.exists && metadata !== undefined
            ? { expectedMetadataVersion: Number(head.metadata?.["metadataVersion"] ?? 0) }
            : {}),
        });
        if (!head.exists) meet(place, written.incarnation);
        return;
      } catch (error) {
        if (isConflict(error, "message-id")) entries = await unknownEntries(place, entries);
        else if (!head.exists && isConflict(error, "incarnation", "version")) {
          // Another process has created it. If it is still missing, it was erased.
          if (!(await headOf(place)).exists) throw error;
        } else if (!isConflict(error, "metadata-version")) throw error;
      }
    }
  }

  return {
    append,
    read: async (place) => {
      const { conversationId, owner } = place;
      const { conversation, incarnation } = await unwrap("readConversation", () =>
        provider.readConversation(conversationId, { owner }),
      );
      if (conversation === null) return null;
      meet(place, incarnation);
      const messages: readonly RichMessage[] = conversation.messages;
      if (!isMediaResolver(provider)) return messages;
      return unwrap("resolveMedia", () => provider.resolveMedia(conversationId, messages));
    },
    remove: async ({ conversationId, owner }) => {
      const { conversation } = await unwrap("readConversation", () =>
        provider.readConversation(conversationId, { messages: "none", owner }),
      );
      if (conversation !== null) await unwrap("delete", () => provider.deleteConversation(conversationId));
      // The application has deleted it, so it may create it again. Subagents' transcripts are deleted with their session.
      forget(conversationId);
    },
  };
}

const messageIdOf = ({ uuid }: SessionStoreEntry): string | null =>
  uuid !== undefined && idIssue("uuid", uuid) === undefined ? uuid : null;

/** The entries without repeated uuids. */
function firstOfEach(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const id = messageIdOf(entry);
    if (id === null) return true;
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst;
  });
}
