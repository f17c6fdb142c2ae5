import { sha256 } from "#digest";

const PREFIX = "jaf:diverted:";

/** Traces by which the fallback finds what it keeps for `withFallback`. */
export const JOURNAL_TRACE = `${PREFIX}journal`;
export const DEAD_LETTER_TRACE = `${PREFIX}set-aside`;

const hashOf = (text: string): string => sha256(text, "base64url");

/** Where the fallback keeps the journal of a conversation. */
export const journalId = (conversationId: string): string => `${JOURNAL_TRACE}:${hashOf(conversationId)}`;

/** Where it keeps the dead letters of a conversation and a user, of all outages. */
export const deadLetterId = (conversationId: string, userId: string | undefined): string =>
  `${DEAD_LETTER_TRACE}:${hashOf(JSON.stringify([conversationId, userId ?? null]))}`;

/** Whether an id is none of a conversation, but of what `withFallback` keeps in the fallback. */
export const isReservedId = (id: unknown): boolean => typeof id === "string" && id.startsWith(PREFIX);
