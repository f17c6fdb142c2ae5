import { sha256 } from "#digest";

const PREFIX = "jaf:diverted:";

/** Traces by which the fallback finds what it keeps for `withFallback`. */
export const JOURNAL_TRACE = `${PREFIX}journal`;
export const SET_ASIDE_TRACE = `${PREFIX}set-aside`;

const hashOf = (text: string): string => sha256(text, "base64url");

/** Where the fallback keeps the journal of a conversation. */
export const journalId = (conversationId: string): string => `${JOURNAL_TRACE}:${hashOf(conversationId)}`;

/** Where it keeps what was set aside of a conversation and a user, of whatever outage: each key once. */
export const setAsideId = (conversationId: string, userId: string | undefined): string =>
  `${SET_ASIDE_TRACE}:${hashOf(JSON.stringify([conversationId, userId ?? null]))}`;

/** Whether an id is none of a conversation, but of what `withFallback` keeps in the fallback. */
export const isReservedId = (id: unknown): boolean => typeof id === "string" && id.startsWith(PREFIX);
