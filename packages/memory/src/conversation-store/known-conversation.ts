import type { ReadOutcome, ReadRequest, StoredConversation } from "../backend/backend.ts";
import { selectedBounds } from "../backend/selection.ts";
import type { Message, RichMessage } from "../message.ts";
import { type ListedConversation, listedMetadata } from "./listed-conversations.ts";
import type { LocalState } from "./local-state.ts";
import { receiptOf } from "./store-writer.ts";

/** A conversation as the store returns it, with what this process knows of it. */
export interface KnownConversation {
  readonly listed: ListedConversation;
  readonly local: LocalState;
  readonly messages: readonly Message[];
}

export const ownerOf = ({ listed, local }: KnownConversation): string | undefined =>
  listed.userId ?? local.userId;

/** The epoch where the store gives no time. */
export function activityOf(listed: ListedConversation, local: LocalState | undefined): Date {
  const times = [listed.createdAt, listed.updatedAt, local?.lastActivity];
  return new Date(Math.max(0, ...times.map((time) => time?.getTime() ?? 0)));
}

export function toStored(known: KnownConversation, messages: readonly Message[]): StoredConversation {
  const { listed, local } = known;
  const { version, metadataVersion, incarnation } = local;
  const userId = ownerOf(known);
  return {
    conversationId: listed.id,
    ...(userId === undefined ? {} : { userId }),
    messages,
    metadata: {
      ...listedMetadata(listed),
      ...local.metadata,
      // The store keeps no such field, and others write to it too.
      ...(known.messages.some(isSystemContent) ? { systemContent: true } : {}),
    },
    createdAt: listed.createdAt ?? listed.updatedAt ?? new Date(0),
    lastActivity: activityOf(listed, local),
    totalMessages: known.messages.length,
    version,
    metadataVersion,
    nextPosition: nextPositionOf(known),
    incarnation,
  };
}

const isSystemContent = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

const nextPositionOf = ({ local, messages }: KnownConversation): number => local.count ?? messages.length;

export function toRead(known: KnownConversation, request: Omit<ReadRequest, "conversationId">): ReadOutcome {
  const { local, messages } = known;
  const nextPosition = nextPositionOf(known);
  const totalMessages = messages.length;
  const positions = { totalMessages, nextPosition, positionOf: () => undefined };
  const [from, end] = selectedBounds(request.messages, positions);
  const receipt =
    request.receiptFor === undefined ? undefined : receiptOf({ local, stored: messages }, request.receiptFor);
  return {
    conversation: toStored(known, messages.slice(from, end)),
    firstPosition: from === end ? nextPosition : nextPosition - totalMessages + from,
    ...(receipt === undefined ? {} : { receipt }),
    ...(request.forExport === true
      ? { forExport: { traceIds: [], messageIds: messages.map(() => null) } }
      : {}),
  };
}
