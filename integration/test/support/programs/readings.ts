import type { ConversationMemory, ConversationReading, ConversationRecord, Message } from "@jaf/memory";
import type { Reading } from "./history.ts";

export const textsOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ content }) => content);

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Without the fields that are `undefined`. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) given[key] = fields[key];
  return given as { [K in keyof T]: Exclude<T[K], undefined> };
}

const absent = (conversationId: string): Reading => ({
  conversationId,
  isThere: false,
  texts: [],
  isWhole: true,
});

export function readingOf(conversation: ConversationMemory, isWhole: boolean): Reading {
  const { conversationId, messages, metadata, userId } = conversation;
  return {
    conversationId,
    isThere: true,
    texts: textsOf(messages),
    isWhole,
    ...defined({
      owner: userId,
      incarnation: textOf(metadata?.incarnation),
      version: numberOf(metadata?.version),
      metadataVersion: numberOf(metadata?.metadataVersion),
      totalMessages: numberOf(metadata?.totalMessages),
      nextPosition: numberOf(metadata?.nextPosition),
      title: textOf(metadata?.["title"]),
      counter: numberOf(metadata?.["counter"]),
    }),
  };
}

export const readingOfWhole = (id: string, conversation: ConversationMemory | null): Reading =>
  conversation === null ? absent(id) : readingOf(conversation, true);

export function readingOfPart(id: string, read: ConversationReading, isWhole: boolean): Reading {
  const { conversation, incarnation, firstPosition } = read;
  if (conversation === null) return { ...absent(id), incarnation };
  return { ...readingOf(conversation, isWhole), incarnation, firstPosition };
}

export function readingOfRecord(id: string, record: ConversationRecord | null): Reading {
  if (record === null) return absent(id);
  const { messages, version, metadataVersion, firstPosition, userId, metadata } = record;
  return {
    conversationId: id,
    isThere: true,
    texts: textsOf(messages),
    isWhole: true,
    ...{ version, metadataVersion, firstPosition },
    totalMessages: messages.length,
    nextPosition: firstPosition + messages.length,
    ...defined({
      owner: userId,
      title: textOf(metadata["title"]),
      counter: numberOf(metadata["counter"]),
    }),
  };
}

/** Of messages alone. */
export const readingOfLast = (conversationId: string, messages: readonly Message[]): Reading => ({
  conversationId,
  isThere: true,
  texts: textsOf(messages),
  isWhole: false,
});
