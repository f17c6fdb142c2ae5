import type { ApprovalNote } from "../memory/metadata.ts";

/** Which reply of which conversation made calls. */
export interface ReplyPlace {
  /** The conversation; the run where nothing is stored. */
  readonly owner: string;
  /** Which message of the conversation it is, counted from its very first. */
  readonly position: number;
  /** The scope of the calls; the same whenever the run resumes. */
  readonly scope: string;
  /** Whether a time until which an approval counts can be kept. */
  readonly isStored: boolean;
}

/** What is known of the approvals that the calls of a reply wait for. */
export interface Waiting {
  readonly place: ReplyPlace;
  readonly note: ApprovalNote;
}

/** What was noted when the calls were asked about; of another reply's calls it says nothing. */
export function asNoted(place: ReplyPlace, note?: ApprovalNote): Waiting {
  const { position } = place;
  return { place, note: note?.position === position ? note : { position, round: 0, approved: [] } };
}

interface Asking {
  readonly ttlMs: number | undefined;
  /** Milliseconds since 1970. Asked where approvals expire. */
  readonly now: () => number;
}

/** As it is asked for now: approvals that have expired are asked for anew, and no decision of before counts any more. */
export function askedNow({ place, note }: Waiting, { ttlMs, now }: Asking): Waiting {
  const approvalTtlMs = place.isStored ? ttlMs : undefined;
  if (note.expiresAt === undefined && approvalTtlMs === undefined) return { place, note };
  const time = now();
  const expired = note.expiresAt !== undefined && note.expiresAt <= time;
  if (!expired && note.expiresAt !== undefined) return { place, note };
  const { position, round, approved } = note;
  const expiresAt = approvalTtlMs === undefined ? {} : { expiresAt: time + approvalTtlMs };
  return { place, note: { position, round: expired ? round + 1 : round, approved, ...expiresAt } };
}

/** Of calls whose own scope is not known: nothing is stored, or another program stored them. */
export const openCallScope = (owner: string, position: number): string => `${owner}:${position}`;
