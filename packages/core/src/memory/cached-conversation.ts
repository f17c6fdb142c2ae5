import type { ConversationMemory, ConversationMetadata, Message } from "@jaf/memory";
import { isMediaResolver } from "@jaf/memory/turns";
import type { MemoryConfig } from "./config.ts";
import { type ConversationEnd, notifyCacheRead } from "./conversation-end-cache.ts";
import type { KnownState } from "./known-state.ts";
import type { Head, Loaded } from "./loaded.ts";
import { type EngineMetadata, firstPositionOf, nextPositionOf, toMetadata, versionOf } from "./metadata.ts";
import { SUMMARY_KEY } from "./summary.ts";
import { SUMMARY_LEASE_KEY } from "./summary-lease-record.ts";
import { isWhole, type Tail, tailIn } from "./tail-reading.ts";

interface EndedRun {
  readonly memory: MemoryConfig;
  readonly loaded: Pick<Loaded, "conversation" | "time">;
  /** What the run has stored since. */
  readonly added: readonly Message[];
  readonly known: KnownState;
  readonly written: EngineMetadata;
  /** Whether anything but the journal has written to the metadata. */
  readonly wroteOtherMetadata: boolean;
}

/** The end of the conversation after a run; `undefined` where it isn't known without reading it again. */
export function endOfRun({
  memory,
  loaded: { conversation, time },
  added,
  known,
  written,
  wroteOtherMetadata,
}: EndedRun): ConversationEnd | undefined {
  const { incarnation, version, metadataVersion, totalMessages } = known;
  if (incarnation === undefined || version === undefined || metadataVersion === undefined) return undefined;
  if (added.some((message) => isStoredOtherwise(message, memory))) return undefined;
  const nextPosition = nextPositionOf(conversation) + added.length;
  return {
    userId: memory.userId,
    incarnation,
    version,
    metadataVersion: wroteOtherMetadata ? undefined : metadataVersion,
    nextPosition,
    totalMessages: totalMessages === nextPosition ? totalMessages : undefined,
    messages: [...(conversation?.messages ?? []), ...added],
    metadata: Object.assign(engineMetadataIn(conversation), toMetadata(written)),
    time,
  };
}

/** Whether the store may return the message in another form, or keep it apart as system content. */
const isStoredOtherwise = ({ role, content }: Message, { provider }: MemoryConfig): boolean =>
  (isMediaResolver(provider) && typeof content !== "string") ||
  (role as string) === "system" ||
  (role as string) === "developer";

function engineMetadataIn(conversation: ConversationMemory | null): Record<string, unknown> {
  const { metadata } = conversation ?? {};
  const engineMetadata: Record<string, unknown> = {};
  for (const key of [SUMMARY_KEY, SUMMARY_LEASE_KEY, "systemContent"])
    if (metadata?.[key] !== undefined) engineMetadata[key] = metadata[key];
  return engineMetadata;
}

interface CacheRead {
  readonly journal: { readonly conversationId: string; readonly memory: MemoryConfig };
  /** Absent: the run needs all. */
  readonly tail: Tail | undefined;
}

/** The conversation from the cache, without asking the store: the run's first write expects that it is still current. */
export function assumeCached(
  end: ConversationEnd,
  { journal: { conversationId, memory }, tail }: CacheRead,
): Loaded | undefined {
  const { userId, incarnation, version, metadataVersion, nextPosition, totalMessages, time } = end;
  if (metadataVersion === undefined || totalMessages === undefined) return undefined;
  const counts = { incarnation, version, metadataVersion, nextPosition, totalMessages };
  // Without the times of its writes, which only a run needs that finds its reply stored; and such a run reads.
  const metadata = Object.assign({}, end.metadata, counts) as unknown as ConversationMetadata;
  const owner = userId === undefined ? {} : { userId };
  const conversation = { conversationId, ...owner, messages: end.messages, metadata };
  const loaded = loadedIfEnough(conversation, tail, { incarnation, time });
  if (loaded !== undefined)
    notifyCacheRead(memory.provider, conversationId, loaded.conversation?.messages ?? []);
  return loaded;
}

/** The conversation from the cache, where the head shows that its messages are still current: as a reading would give it. */
export function confirmCached(end: ConversationEnd, head: Head, tail: Tail | undefined): Loaded | undefined {
  const { conversation, incarnation, receipt, time } = head;
  if (conversation === null || receipt !== undefined || !isCurrent(end, head)) return undefined;
  // Whose conversation it is comes from the store with the messages.
  if (end.userId !== undefined && conversation.userId !== end.userId) return undefined;
  const total = conversation.metadata?.totalMessages;
  if (total === undefined) return undefined;
  const messages = end.messages.slice(Math.max(0, end.messages.length - total));
  return loadedIfEnough({ ...conversation, messages }, tail, { incarnation, time });
}

/** Whether the store still has the messages of which this is the end. */
export const isCurrent = (end: ConversationEnd, { conversation, incarnation }: Head): boolean =>
  conversation !== null &&
  incarnation === end.incarnation &&
  versionOf(conversation) === end.version &&
  conversation.metadata?.nextPosition === end.nextPosition;

function loadedIfEnough(
  conversation: ConversationMemory,
  tail: Tail | undefined,
  { incarnation, time }: Pick<Loaded, "incarnation" | "time">,
): Loaded | undefined {
  const end = endIn(conversation, tail);
  return end && { conversation: end, incarnation, firstPosition: firstPositionOf(end), time };
}

/** The same part as a reading would give. A tokenizer that throws is reported when the window is applied. */
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
