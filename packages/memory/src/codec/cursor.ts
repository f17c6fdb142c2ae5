import type { ConversationPosition } from "../backend/backend.ts";
import { base64urlOf, bytesIn } from "../platform/bytes.ts";
import { textIn, utf8Of } from "../platform/utf8.ts";
import type { ConversationMemory } from "../provider.ts";
import { idIssue } from "./ids.ts";

/**
 * The `cursor` that continues a listing after this conversation; `undefined` if it has no metadata. A
 * conversation that is written between two pages moves to the front, so it isn't listed twice.
 */
export function conversationCursor(conversation: ConversationMemory): string | undefined {
  const { conversationId, metadata } = conversation;
  if (metadata === undefined) return undefined;
  return base64urlOf(utf8Of(JSON.stringify([metadata.lastActivity.getTime(), conversationId])));
}

export function parseCursor(cursor: string): ConversationPosition | undefined {
  try {
    const parsed: unknown = JSON.parse(textIn(bytesIn(cursor)));
    if (!Array.isArray(parsed) || parsed.length !== 2) return undefined;
    const [time, conversationId]: unknown[] = parsed;
    if (typeof time !== "number" || typeof conversationId !== "string") return undefined;
    const lastActivity = new Date(time);
    if (Number.isNaN(lastActivity.getTime()) || idIssue("", conversationId) !== undefined) return undefined;
    return { lastActivity, conversationId };
  } catch {
    return undefined; // Not one of ours: the caller reports it as invalid.
  }
}
