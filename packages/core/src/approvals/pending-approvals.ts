import type { RichToolCall } from "@jaf/memory";
import { calledTool, sha256 } from "@jaf/memory/internal";
import type { ApprovalRecord } from "../stored/metadata.ts";

/** Identifies a model's reply with tool calls. An approval of one of these calls is valid only for this reply. */
export interface ReplyLocation {
  /** The id of the conversation. If nothing is stored, the id of the run. */
  readonly owner: string;
  /** The position of the reply in the conversation. */
  readonly position: number;
  /**
   * A text that identifies the reply's calls as a group (the calls' scope). It stays the same when the run resumes. For
   * a stored conversation it is random, so a later conversation with the same id has another scope.
   */
  readonly scope: string;
  /** Whether the conversation is stored. Approvals expire only in stored conversations. */
  readonly isStored: boolean;
}

/** The approvals that the tool calls of a reply wait for. */
export interface PendingApprovals {
  readonly location: ReplyLocation;
  readonly record: ApprovalRecord;
}

/**
 * Returns the approvals of a reply's calls from a stored record. If the record is absent or belongs to another reply,
 * no call is approved yet.
 */
export function pendingApprovalsOf(location: ReplyLocation, record?: ApprovalRecord): PendingApprovals {
  const { position } = location;
  return { location, record: record?.position === position ? record : { position, round: 0, approved: [] } };
}

interface Asking {
  readonly ttlMs: number | undefined;
  /** Returns the current time in milliseconds since 1970. Called only if approvals expire. */
  readonly now: () => number;
}

/**
 * Returns the approvals to request:
 *
 * - If the approvals have expired, returns them in a new round. A late decision that has an id of an earlier round is
 *   then refused.
 * - If the approvals should expire but have no expiry time yet, returns them with an expiry time.
 * - Otherwise returns the approvals unchanged.
 */
export function renewExpired(
  { location, record }: PendingApprovals,
  { ttlMs, now }: Asking,
): PendingApprovals {
  const approvalTtlMs = location.isStored && ttlMs !== Number.POSITIVE_INFINITY ? ttlMs : undefined;
  if (record.expiresAt === undefined && approvalTtlMs === undefined) return { location, record };
  const time = now();
  const expired = record.expiresAt !== undefined && record.expiresAt <= time;
  if (!expired && record.expiresAt !== undefined) return { location, record };
  const { position, round, approved } = record;
  const expiresAt = approvalTtlMs === undefined ? {} : { expiresAt: time + approvalTtlMs };
  return { location, record: { position, round: expired ? round + 1 : round, approved, ...expiresAt } };
}

/**
 * Returns the scope of calls (see `ReplyLocation.scope`) for which no scope is stored, because nothing is stored or another
 * program stored the calls.
 */
export const openCallScope = (owner: string, position: number): string => `${owner}:${position}`;

const digestOf = (...bound: readonly unknown[]): string => sha256(JSON.stringify(bound), "base64url");

/** Returns a digest of a call and of the location of its reply. The digest doesn't depend on the parsed arguments. */
const callDigestOf = ({ owner, position, scope }: ReplyLocation, call: RichToolCall): string => {
  const { name, input } = calledTool(call);
  return digestOf(owner, position, scope, call.id, name, input);
};

/**
 * Returns the binding of an approval: a digest of a call, of the location of its reply, and of the call's parsed
 * arguments. The binding is the same in every round of approvals. `text`: the parsed arguments as canonical JSON.
 */
export const bindingOf = (location: ReplyLocation, call: RichToolCall, text: string): string =>
  digestOf(callDigestOf(location, call), text);

/** Returns the beginning of a call's approval ids. It is the same for all arguments, but differs in each round of approvals. */
export const approvalIdPrefix = (location: ReplyLocation, call: RichToolCall, round: number): string =>
  `appr_${digestOf(callDigestOf(location, call), round)}.`;
