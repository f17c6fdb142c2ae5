import type { RichToolCall } from "@jaf/memory";
import { calledTool, sha256 } from "@jaf/memory/internal";
import type { StoredAskedCalls } from "../stored/asked-calls.ts";
import type { ApprovalRecord } from "../stored/metadata.ts";
import type { ApprovalArguments } from "./canonical-arguments.ts";

/** Identifies a model's reply with tool calls. An approval of one of these calls is valid only for this reply. */
export interface ReplyLocation {
  /** What the reply belongs to: the id of its conversation, or the id of the run if the run has no memory. Not a user. */
  readonly owner: string;
  /** The position of the reply in the conversation. */
  readonly position: number;
  /** A text that identifies the tool calls of the reply as a group. It stays the same when the run resumes. */
  readonly scope: string;
  /** Whether the conversation is stored. Approvals expire only in stored conversations. */
  readonly isStored: boolean;
}

/** The approvals that the tool calls of a reply wait for. */
export interface PendingApprovals {
  readonly location: ReplyLocation;
  readonly record: ApprovalRecord;
  /** Whether approvals of the reply's calls were requested before. */
  readonly wereRequested: boolean;
  /** What the calls were when their approvals were requested. `undefined`: nothing is stored about it. */
  readonly asked: StoredAskedCalls;
}

/**
 * Returns the approvals of a reply's calls, as stored in `record`. If `record` is absent or belongs to another reply,
 * returns that no call is approved yet.
 */
export function pendingApprovalsOf(
  location: ReplyLocation,
  { record, asked }: { readonly record?: ApprovalRecord | undefined; readonly asked?: StoredAskedCalls } = {},
): PendingApprovals {
  const { position } = location;
  const wereRequested = record?.position === position;
  const known = wereRequested ? record : { position, round: 0, approved: [] };
  return { location, record: known, wereRequested, asked };
}

interface Asking {
  readonly ttlMs: number | undefined;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Returns the approvals to request:
 *
 * - If the approvals have expired: the approvals with new ids and a new expiry time.
 * - If the approvals should expire but have no expiry time yet: the approvals with an expiry time.
 * - Otherwise: the approvals unchanged.
 */
export function renewExpired(pending: PendingApprovals, { ttlMs, now }: Asking): PendingApprovals {
  const { location, record } = pending;
  const approvalTtlMs = location.isStored && ttlMs !== Number.POSITIVE_INFINITY ? ttlMs : undefined;
  if (record.expiresAt === undefined && approvalTtlMs === undefined) return pending;
  const time = now();
  const expired = record.expiresAt !== undefined && record.expiresAt <= time;
  if (!expired && record.expiresAt !== undefined) return pending;
  const { position, round, approved } = record;
  const expiresAt = approvalTtlMs === undefined ? {} : { expiresAt: time + approvalTtlMs };
  return { ...pending, record: { position, round: expired ? round + 1 : round, approved, ...expiresAt } };
}

/** Returns the `scope` of a {@link ReplyLocation} whose calls have no stored scope. */
// No scope is stored if nothing is stored, or if another program stored the calls.
export const openCallScope = (owner: string, position: number): string => `${owner}:${position}`;

const digestOf = (...bound: readonly unknown[]): string => sha256(JSON.stringify(bound), "base64url");

/** Returns a digest of a call and of the location of its reply. It doesn't depend on the parsed arguments. */
const callDigestOf = ({ owner, position, scope }: ReplyLocation, call: RichToolCall): string => {
  const { name, input } = calledTool(call);
  return digestOf(owner, position, scope, call.id, name, input);
};

/**
 * Returns the binding of an approval: a digest of a call, its parsed arguments and the location of its reply.
 * `undefined`: the arguments have no canonical JSON. The binding of a call that has changed since its approval was
 * requested is also a digest of the new definition, so the earlier decision doesn't count.
 */
export function bindingOf(
  location: ReplyLocation,
  call: RichToolCall,
  { text, change }: ApprovalArguments,
): string | undefined {
  if (text === undefined) return undefined;
  return digestOf(callDigestOf(location, call), text, ...(change?.binding ?? []));
}

/**
 * Returns the part of an approval id that comes before the binding. `round`: how many times the approval has expired
 * and was requested again; each round has its own prefix.
 */
export const approvalIdPrefix = (location: ReplyLocation, call: RichToolCall, round: number): string =>
  `appr_${digestOf(callDigestOf(location, call), round)}.`;
