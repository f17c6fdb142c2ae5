import type { ConversationPosition, ConversationQuery } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { ConversationMemory, MemoryQuery } from "../contract/provider.ts";
import { base64urlOf, bytesIn, textIn, utf8Of } from "../runtime/bytes.ts";
import { present } from "../runtime/objects.ts";
import {
  type Checked,
  checked,
  dateIssue,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unknownFieldIssues,
} from "./checks.ts";

const IDS = ["conversationId", "userId", "traceId", "childrenOf"] as const;
const FIELDS = [...IDS, "since", "until", "limit", "offset", "cursor", "includeMessages"];

/** Returns an issue for each unknown field (e.g. `userID`), and for each id that is `undefined`. */
function conditionIssues(query: MemoryQuery): MemoryIssue[] {
  // Without these issues, such a query would find the conversations of all users.
  const issues = unknownFieldIssues("query", query, FIELDS);
  for (const id of IDS) if (Object.hasOwn(query, id)) pushIssue(issues, idIssue(`query.${id}`, query[id]));
  return issues;
}

export const encodeQuery = (query: MemoryQuery): Checked<ConversationQuery> =>
  guarded("query", () => encodeReadableQuery(query));

function encodeReadableQuery(query: MemoryQuery): Checked<ConversationQuery> {
  const misfit = objectIssue("query", query);
  if (misfit !== undefined) return { ok: false, issues: [misfit] };
  const {
    conversationId,
    userId,
    traceId,
    childrenOf,
    since,
    until,
    limit,
    offset = 0,
    cursor,
    includeMessages = true,
  } = query;
  const issues = conditionIssues(query);
  pushIssue(issues, dateIssue("query.since", since));
  pushIssue(issues, dateIssue("query.until", until));
  pushIssue(issues, integerIssue("query.limit", limit, 0));
  pushIssue(issues, integerIssue("query.offset", offset, 0));
  if (typeof includeMessages !== "boolean")
    issues.push({ path: "query.includeMessages", expected: "a boolean" });
  const position = typeof cursor === "string" ? parseCursor(cursor) : undefined;
  if (cursor !== undefined && position === undefined) {
    issues.push({ path: "query.cursor", expected: "a cursor made by conversationCursor" });
  }
  return checked(
    issues,
    (): ConversationQuery => ({
      ...present({ conversationId, userId, traceId, childrenOf }),
      // The dates are copied, because the caller may change them before a driver has sent them.
      ...(since === undefined ? {} : { since: new Date(since) }),
      ...(until === undefined ? {} : { until: new Date(until) }),
      ...present({ limit, cursor: position }),
      offset,
      includeMessages,
    }),
  );
}

export function encodeId(path: string, id: string): Checked<string> {
  const issue = idIssue(path, id);
  return checked(issue === undefined ? [] : [issue], () => id);
}

/**
 * Checks the argument `userId` of a call (e.g. of `getStats`). Refuses `undefined`, because it must not select all
 * users.
 */
export function encodeUserId(userId: string | undefined): Checked<string> {
  if (userId !== undefined) return encodeId("userId", userId);
  const expected = "a user id, not undefined; omit the argument for the totals of all users";
  return { ok: false, issues: [{ path: "userId", expected }] };
}

export function encodeLimit(limit: number): Checked<number> {
  const issue = integerIssue("limit", limit, 0);
  return checked(issue === undefined ? [] : [issue], () => limit);
}

/**
 * Returns the `cursor` with which the next query continues after this conversation. Returns `undefined` if the
 * conversation has no metadata. If a conversation is written between two queries, it moves to the front of the list,
 * and the next pages don't contain it.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { conversationCursor } from "@jaf/memory/adapter";
 *
 * declare const provider: MemoryProvider;
 *
 * const query = { userId: "user-42", limit: 100, includeMessages: false };
 * const page = await provider.findConversations(query);
 * const last = page.success ? page.data.at(-1) : undefined;
 * const cursor = last && conversationCursor(last);
 * if (cursor !== undefined) console.log(await provider.findConversations({ ...query, cursor }));
 * ```
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
    return undefined; // The caller reports it as invalid.
  }
}
