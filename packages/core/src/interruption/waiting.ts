import type { ApprovalNote } from "../memory/metadata.ts";

/** Which reply of which conversation made calls. */
export interface ReplyPlace {
  /** The conversation; the run where nothing is stored. */
  readonly owner: string;
  /** Which message of the conversation it is, counted from its very first. */
  readonly position: number;
}

/** What is known of the approvals that the calls of a reply wait for. */
export interface Waiting {
  readonly owner: string;
  readonly note: ApprovalNote;
}

/** What was noted when the calls were asked about; of another reply's calls it says nothing. */
export function asNoted({ owner, position }: ReplyPlace, note?: ApprovalNote): Waiting {
  return { owner, note: note?.position === position ? note : { position, round: 0, approved: [] } };
}

/** As it is asked for now: approvals that have expired are asked for anew, and no decision of before counts any more. */
export function askedNow({ owner, note }: Waiting, approvalTtlMs: number | undefined): Waiting {
  const expired = note.expiresAt !== undefined && note.expiresAt <= Date.now();
  if (!expired && (note.expiresAt !== undefined || approvalTtlMs === undefined)) return { owner, note };
  const { position, round, approved } = note;
  const expiresAt = approvalTtlMs === undefined ? {} : { expiresAt: Date.now() + approvalTtlMs };
  return { owner, note: { position, round: expired ? round + 1 : round, approved, ...expiresAt } };
}
