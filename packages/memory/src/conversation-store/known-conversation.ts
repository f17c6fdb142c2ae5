import type { ReadOutcome, ReadRequest, StoredConversation } from "../backend/backend.ts";
import { selectedBounds } from "../backend/selection.ts";
import type { Message, RichMessage } from "../message.ts";
import { type ListedConversation, listedMetadata } from "./store-entry.ts";
import type { Notes } from "./store-state.ts";
import { receiptOf } from "./store-writer.ts";

/** A conversation as the store shows it, with what this process knows of it. */
export interface KnownConversation {
  readonly listed: ListedConversation;
  readonly notes: Notes;
  readonly messages: readonly Message[];
}

export const ownerOf = ({ listed, notes }: KnownConversation): string | undefined =>
  listed.userId ?? notes.userId;

/** The epoch where the store gives no time. */
export function activityOf(listed: ListedConversation, notes: Notes | undefined): Date {
  const times = [listed.createdAt, listed.updatedAt, notes?.lastActivity];
  return new Date(Math.max(0, ...times.map((time) => time?.getTime() ?? 0)));
}

export function toStored(known: KnownConversation, messages: readonly Message[]): StoredConversation {
  const { listed, notes } = known;
  const { version, metadataVersion, incarnation } = notes;
  const userId = ownerOf(known);
  return {
    conversationId: listed.id,
    ...(userId === undefined ? {} : { userId }),
    messages,
    metadata: {
      ...listedMetadata(listed),
      ...notes.metadata,
      // The store notes nothing of it, and others write to it too.
      ...(known.messages.some(isSystemContent) ? { systemContent: true } : {}),
    },
    createdAt: listed.createdAt ?? listed.updatedAt ?? new Date(0),
    lastActivity: activityOf(listed, notes),
    totalMessages: known.messages.length,
    version,
    metadataVersion,
    nextPosition: nextPositionOf(known),
    incarnation,
  };
}

const isSystemContent = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

const nextPositionOf = ({ notes, messages }: KnownConversation): number => notes.count ?? messages.length;

export function toRead(known: KnownConversation, request: Omit<ReadRequest, "conversationId">): ReadOutcome {
  const { notes, messages } = known;
  const nextPosition = nextPositionOf(known);
  const totalMessages = messages.length;
  const positions = { totalMessages, nextPosition, positionOf: () => undefined };
  const [from, end] = selectedBounds(request.messages, positions);
  const receipt =
    request.receiptFor === undefined ? undefined : receiptOf({ notes, stored: messages }, request.receiptFor);
  return {
    conversation: toStored(known, messages.slice(from, end)),
    firstPosition: from === end ? nextPosition : nextPosition - totalMessages + from,
    ...(receipt === undefined ? {} : { receipt }),
    ...(request.forExport === true
      ? { forExport: { traceIds: [], messageIds: messages.map(() => null) } }
      : {}),
  };
}
