import type { ReadRequest, StoredConversation, StoredSelection } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { ConversationMemory, ConversationMetadata } from "../contract/provider.ts";
import type { MessageSelection, ReadOptions } from "../contract/versioned-provider.ts";
import { present } from "../runtime/objects.ts";
import {
  type Checked,
  checked,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unknownFieldIssues,
} from "./checks.ts";
import { deepFreeze, fromJsonValue } from "./json.ts";
import { decodeMessages } from "./messages.ts";

const FIELDS = ["messages", "userId", "owner", "receiptFor", "signal"];
const RANGE_FIELDS = ["after", "before", "limit"];
const SELECTION = '"all", "none", a range, or { messageId }';

/** Checks the arguments of a read, and converts them into a request for the backend. */
export const encodeRead = (conversationId: string, options: ReadOptions | undefined): Checked<ReadRequest> =>
  guarded("options", () => encodeReadable(conversationId, options));

function encodeReadable(conversationId: string, options: ReadOptions = {}): Checked<ReadRequest> {
  const misfit = objectIssue("options", options);
  if (misfit !== undefined) return { ok: false, issues: [misfit] };
  const { messages = "all", userId, owner, receiptFor } = options;
  const issues = unknownFieldIssues("options", options, FIELDS);
  pushIssue(issues, idIssue("conversationId", conversationId));
  if (userId !== undefined) pushIssue(issues, idIssue("options.userId", userId));
  if (owner !== undefined) pushIssue(issues, idIssue("options.owner", owner));
  if (receiptFor !== undefined) pushIssue(issues, idIssue("options.receiptFor", receiptFor));
  const selection = encodeSelection(messages, issues);
  return checked(
    issues,
    (): ReadRequest => ({
      conversationId,
      messages: selection,
      tombstones: present({ userId }),
      asksTime: true,
      ...present({ owner, receiptFor }),
    }),
  );
}

function encodeSelection(messages: MessageSelection, issues: MemoryIssue[]): StoredSelection {
  const path = "options.messages";
  if (messages === "all" || messages === "none") return { kind: messages };
  if (objectIssue(path, messages) !== undefined) {
    issues.push({ path, expected: SELECTION });
    return { kind: "none" };
  }
  if ("messageId" in messages) {
    issues.push(...unknownFieldIssues(path, messages, ["messageId"]));
    pushIssue(issues, idIssue(`${path}.messageId`, messages.messageId));
    return { kind: "message", messageId: messages.messageId };
  }
  issues.push(...unknownFieldIssues(path, messages, RANGE_FIELDS));
  const { after, before, limit } = messages;
  // -1 is allowed. It is the position before the first message, and a caller that counts positions down may pass it.
  pushIssue(issues, integerIssue(`${path}.after`, after, -1));
  pushIssue(issues, integerIssue(`${path}.before`, before, 0));
  pushIssue(issues, integerIssue(`${path}.limit`, limit, 0));
  if (limit === 0) return { kind: "none" };
  if (after === undefined && before === undefined) {
    return limit === undefined ? { kind: "all" } : { kind: "last", limit };
  }
  return {
    kind: "range",
    ...present({ after, before, limit }),
  };
}

/**
 * Converts a stored conversation into the form that readers get, and freezes it. Throws {@link CorruptMessage} if a
 * body isn't a message.
 */
export function decodeConversation(stored: StoredConversation): ConversationMemory {
  // Each field is decoded separately, because the names of top-level fields are not escaped, so that stores can search
  // for them.
  const fields = Object.entries(stored.metadata).map(([key, value]) => [key, fromJsonValue(value)]);
  // `assign` to the new object: adding fields after a spread takes several times as long.
  const metadata: ConversationMetadata = Object.assign(Object.fromEntries(fields), {
    // Copies, because a Date can't be frozen: a reader could change a Date that the store or another field uses, too.
    createdAt: new Date(stored.createdAt),
    updatedAt: new Date(stored.lastActivity),
    totalMessages: stored.totalMessages,
    lastActivity: new Date(stored.lastActivity),
    version: stored.version,
    metadataVersion: stored.metadataVersion,
    nextPosition: stored.nextPosition,
    incarnation: stored.incarnation,
    ...present({ historyDigest: stored.historyDigest, childOf: stored.childOf }),
  });
  return Object.freeze({
    conversationId: stored.conversationId,
    ...present({ userId: stored.userId }),
    messages: decodeMessages(stored.messages),
    metadata: deepFreeze(metadata),
  });
}

interface Positions {
  /** The number of stored messages. */
  readonly totalMessages: number;
  readonly nextPosition: number;
  /**
   * Returns the position of the message that was written with the id `messageId`, or `undefined` if no stored message
   * has this id.
   */
  readonly positionOf: (messageId: string) => number | undefined;
}

/**
 * Converts a selection into two indexes in the list of stored messages: `from`, the first selected message, and `end`,
 * the message after the last selected one. If no message is selected, `from` equals `end`. For backends that hold all
 * messages of a conversation in memory.
 */
export function selectedBounds(
  selection: StoredSelection,
  { totalMessages, nextPosition, positionOf }: Positions,
): readonly [from: number, end: number] {
  const first = nextPosition - totalMessages;
  switch (selection.kind) {
    case "all":
      return [0, totalMessages];
    case "none":
      return [totalMessages, totalMessages];
    case "last":
      return [Math.max(0, totalMessages - selection.limit), totalMessages];
    case "range": {
      const { after, before, limit = Number.POSITIVE_INFINITY } = selection;
      const from = after === undefined ? 0 : Math.min(Math.max(0, after + 1 - first), totalMessages);
      const end =
        before === undefined ? totalMessages : Math.min(Math.max(from, before - first), totalMessages);
      return after === undefined ? [Math.max(from, end - limit), end] : [from, Math.min(end, from + limit)];
    }
    case "message": {
      const position = positionOf(selection.messageId);
      return position === undefined
        ? [totalMessages, totalMessages]
        : [position - first, position - first + 1];
    }
  }
}
