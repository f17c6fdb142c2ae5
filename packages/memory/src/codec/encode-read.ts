import type { ReadRequest, StoredSelection } from "../backend/backend.ts";
import type { MemoryIssue } from "../errors.ts";
import { present } from "../present.ts";
import type { MessageSelection, ReadOptions } from "../versioned-provider.ts";
import {
  type Checked,
  checked,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unknownFieldIssues,
} from "./checks.ts";
import { idIssue } from "./ids.ts";

const FIELDS = ["messages", "userId", "receiptFor", "signal"];
const RANGE_FIELDS = ["after", "before", "limit"];
const SELECTION = '"all", "none", a range, or { messageId }';

/** A checked read. */
export const encodeRead = (conversationId: string, options: ReadOptions | undefined): Checked<ReadRequest> =>
  guarded("options", () => encodeReadable(conversationId, options));

function encodeReadable(conversationId: string, options: ReadOptions = {}): Checked<ReadRequest> {
  const misfit = objectIssue("options", options);
  if (misfit !== undefined) return { ok: false, issues: [misfit] };
  const { messages = "all", userId, receiptFor } = options;
  const issues = unknownFieldIssues("options", options, FIELDS);
  pushIssue(issues, idIssue("conversationId", conversationId));
  if (userId !== undefined) pushIssue(issues, idIssue("options.userId", userId));
  if (receiptFor !== undefined) pushIssue(issues, idIssue("options.receiptFor", receiptFor));
  const selection = encodeSelection(messages, issues);
  return checked(
    issues,
    (): ReadRequest => ({
      conversationId,
      messages: selection,
      tombstones: present({ userId }),
      asksTime: true,
      ...present({ receiptFor }),
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
  // Before the first message: a reader that counts down arrives there.
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
