import type { ConversationMemory, ConversationMetadata, Message } from "@jaf/memory";
import { isMediaResolver } from "@jaf/memory/turns";
import { CLAIM_KEY } from "./claim-note.ts";
import type { MemoryConfig } from "./config.ts";
import { type ConversationEnd, tellRecall } from "./end-cache.ts";
import type { KnownState } from "./known-state.ts";
import type { Head, Loaded } from "./loaded.ts";
import { type EngineMetadata, firstPositionOf, nextPositionOf, toMetadata, versionOf } from "./metadata.ts";
import { SUMMARY_KEY } from "./summary.ts";
import { isWhole, type Tail, tailIn } from "./tail.ts";

interface EndedRun {
  readonly memory: MemoryConfig;
  readonly loaded: Pick<Loaded, "conversation" | "time">;
  /** What was stored since, all of it. */
  readonly said: readonly Message[];
  readonly known: KnownState;
  readonly noted: EngineMetadata;
  /** Whether the metadata were changed beside the run's own writes. */
  readonly wroteAside: boolean;
}

/** What a run leaves that has ended its turn; `undefined` where that can't be told without reading it. */
export function endOfRun({
  memory,
  loaded: { conversation, time },
  said,
  known,
  noted,
  wroteAside,
}: EndedRun): ConversationEnd | undefined {
  const { incarnation, version, metadataVersion, totalMessages } = known;
  if (incarnation === undefined || version === undefined || metadataVersion === undefined) return undefined;
  if (said.some((message) => isStoredOtherwise(message, memory))) return undefined;
  const nextPosition = nextPositionOf(conversation) + said.length;
  return {
    userId: memory.userId,
    incarnation,
    version,
    metadataVersion: wroteAside ? undefined : metadataVersion,
    nextPosition,
    totalMessages: totalMessages === nextPosition ? totalMessages : undefined,
    messages: [...(conversation?.messages ?? []), ...said],
    metadata: Object.assign(notesIn(conversation), toMetadata(noted)),
    time,
  };
}

/** Whether the store may give it back in another form, or tells of system content. */
const isStoredOtherwise = ({ role, content }: Message, { provider }: MemoryConfig): boolean =>
  (isMediaResolver(provider) && typeof content !== "string") ||
  (role as string) === "system" ||
  (role as string) === "developer";

function notesIn(conversation: ConversationMemory | null): Record<string, unknown> {
  const { metadata } = conversation ?? {};
  const notes: Record<string, unknown> = {};
  for (const key of [SUMMARY_KEY, CLAIM_KEY, "systemContent"])
    if (metadata?.[key] !== undefined) notes[key] = metadata[key];
  return notes;
}

interface Recall {
  readonly journal: { readonly conversationId: string; readonly memory: MemoryConfig };
  /** Absent: the run needs all. */
  readonly tail: Tail | undefined;
}

/** What a run begins with whose first write asks the store whether that still holds. */
export function recallUnchecked(
  end: ConversationEnd,
  { journal: { conversationId, memory }, tail }: Recall,
): Loaded | undefined {
  const { userId, incarnation, version, metadataVersion, nextPosition, totalMessages, time } = end;
  if (metadataVersion === undefined || totalMessages === undefined) return undefined;
  const counts = { incarnation, version, metadataVersion, nextPosition, totalMessages };
  // Without the times of its writes: only a run that finds its reply stored asks for these, and that one reads.
  const metadata = Object.assign({}, end.metadata, counts) as unknown as ConversationMetadata;
  const owner = userId === undefined ? {} : { userId };
  const conversation = { conversationId, ...owner, messages: end.messages, metadata };
  const loaded = enough(conversation, tail, { incarnation, time });
  if (loaded !== undefined) tellRecall(memory.provider, conversationId, loaded.conversation?.messages ?? []);
  return loaded;
}

/** The same as a reading would give, where the store says that the messages are those. */
export function recallChecked(end: ConversationEnd, head: Head, tail: Tail | undefined): Loaded | undefined {
  const { conversation, incarnation, receipt, time } = head;
  if (conversation === null || receipt !== undefined || !isOf(end, head)) return undefined;
  // Whose it is, is told with the messages.
  if (end.userId !== undefined && conversation.userId !== end.userId) return undefined;
  const total = conversation.metadata?.totalMessages;
  if (total === undefined) return undefined;
  const messages = end.messages.slice(Math.max(0, end.messages.length - total));
  return enough({ ...conversation, messages }, tail, { incarnation, time });
}

/** Whether the store's messages are still those that the end is of. */
export const isOf = (end: ConversationEnd, { conversation, incarnation }: Head): boolean =>
  conversation !== null &&
  incarnation === end.incarnation &&
  versionOf(conversation) === end.version &&
  conversation.metadata?.nextPosition === end.nextPosition;

function enough(
  conversation: ConversationMemory,
  tail: Tail | undefined,
  { incarnation, time }: Pick<Loaded, "incarnation" | "time">,
): Loaded | undefined {
  const end = endIn(conversation, tail);
  return end && { conversation: end, incarnation, firstPosition: firstPositionOf(end), time };
}

/** As a reading of the same would be cut. A tokenizer that throws is reported where the window is made. */
function endIn(conversation: ConversationMemory, tail: Tail | undefined): ConversationMemory | undefined {
  if (tail === undefined) return isWhole(conversation) ? conversation : undefined;
  const { messages } = conversation;
  try {
    const last = { ...conversation, messages: messages.slice(-tail.firstRead) };
    const first = tailIn(last, tail);
    if (first.decides) return first.conversation;
    const all = messages.length > tail.firstRead ? tailIn(conversation, tail) : first;
    return all.decides ? all.conversation : undefined;
  } catch {
    return undefined;
  }
}
