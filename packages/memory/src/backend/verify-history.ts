import { encodeJson } from "../codec/json.ts";
import { type HistoryReader, messageHash, nextDigest, type StoredHistory } from "../contract/backend.ts";
import type { ConversationVerification } from "../contract/versioned-provider.ts";

/** The number of messages that are read and checked at a time. */
const PAGE = 200;

type Failed = Extract<ConversationVerification, { intact: false }>;

interface Page {
  readonly failed?: Failed | undefined;
  readonly unchecked: number;
  /** The position after the last checked message of this page. */
  readonly end: number;
}

/**
 * Compares each message's stored digest with the digest that is computed from the stored messages. Returns `null` if
 * the conversation doesn't exist.
 */
export async function verifyHistory(
  { algorithm, read }: HistoryReader,
  conversationId: string,
): Promise<ConversationVerification | null> {
  // A message and the message before it always come from the same read, which is one snapshot. So concurrent writes
  // cause no false result and hide no change.
  const limit = PAGE + 1;
  let unchecked = 0;
  for (let at = 0; ; ) {
    // Also read the last message of the previous page, because the digest of this page's first message depends on its
    // digest.
    const history = await read({ conversationId, from: Math.max(0, at - 1), limit });
    if (history === null) return null;
    if (at > history.nextPosition) {
      at = history.nextPosition; // Messages were dropped from the end meanwhile.
      continue;
    }
    const page = checkPage(history, { at, algorithm });
    unchecked += page.unchecked;
    if (page.failed !== undefined) return page.failed;
    const { firstPosition, nextPosition, messages } = history;
    if (messages.length < limit) return { intact: true, messages: nextPosition - firstPosition, unchecked };
    at = page.end;
  }
}

function checkPage(
  history: StoredHistory,
  { at, algorithm }: { readonly at: number; readonly algorithm: HistoryReader["algorithm"] },
): Page {
  const { firstPosition, nextPosition, base, historyDigest, messages } = history;
  let position = Math.max(firstPosition, at - 1);
  let previous: string | null = null;
  let unchecked = 0;
  const changed = (): Failed => ({ intact: false, position, found: "changed" });
  for (const { body, digest } of messages) {
    if (position >= nextPosition) {
      return { failed: { intact: false, position, found: "unexpected" }, unchecked, end: position };
    }
    // Skip the last message of the previous page, because it was already checked. Exception: if messages were trimmed,
    // and this message is now the first stored one, check it again.
    if (position >= at || position === firstPosition) {
      if (digest === null) {
        if (previous !== null) return { failed: changed(), unchecked, end: position };
        unchecked += position >= at ? 1 : 0;
      } else if (digest !== nextDigest(algorithm, previous ?? base, messageHash(textOf(body)))) {
        return { failed: changed(), unchecked, end: position };
      }
    }
    previous = digest;
    position += 1;
  }
  if (messages.length > PAGE) return { unchecked, end: position };
  if (position < nextPosition) {
    return { failed: { intact: false, position, found: "missing" }, unchecked, end: position };
  }
  // A conversation without messages has the digest `base`.
  const last = messages.length === 0 ? (historyDigest === undefined ? null : base) : previous;
  if (last !== (historyDigest ?? null)) {
    const failed: Failed = { intact: false, position: Math.max(0, position - 1), found: "changed" };
    return { failed, unchecked, end: position };
  }
  return { unchecked, end: position };
}

const textOf = (body: StoredHistory["messages"][number]["body"]): string =>
  typeof body === "string" ? body : encodeJson(body);
