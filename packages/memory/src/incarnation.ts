import { sha256 } from "#digest";

/** How long a tombstone is kept. */
export const TOMBSTONE_SECONDS = 24 * 60 * 60;

/**
 * The ids of the tombstones that deleting a conversation and clearing a user create. Random; `null`: nothing was erased in
 * the last 24 hours.
 */
export interface Tombstones {
  readonly conversation: string | null;
  /** Of the user for whom the conversation would be created; also `null` if no user was given. */
  readonly user: string | null;
}

/** Which incarnation of a conversation a write expects. */
export type ExpectedIncarnation =
  | { readonly present: string }
  /** It doesn't exist, and nothing was erased since these tombstones were read. */
  | { readonly absent: Tombstones };

/**
 * The key of a tombstone: a SHA-256 hash (base64url, 43 characters), as it is kept longer than the data that it was created
 * for.
 */
export const tombstoneKey = (kind: "conversation" | "user", id: string): string =>
  sha256(`${kind}\0${id}`, "base64url");

const ABSENT = /^none:([\w-]{0,64}):([\w-]{0,64})$/;

export const absentIncarnation = ({ conversation, user }: Tombstones): string =>
  `none:${conversation ?? ""}:${user ?? ""}`;

/** `undefined` for a text that no read returns. */
export function parseIncarnation(incarnation: string): ExpectedIncarnation | undefined {
  if (!incarnation.startsWith("none:")) return { present: incarnation };
  const [, conversation, user] = ABSENT.exec(incarnation) ?? [];
  if (conversation === undefined || user === undefined) return undefined;
  return { absent: { conversation: conversation || null, user: user || null } };
}

/**
 * Whether the conversation, or all of its user's, was erased between two readings of the tombstones: `seen` and the later
 * `now`. A tombstone that is only in `seen` has expired, which is no erasure, because a new erasure always creates a new
 * tombstone. Compare within 24 hours: tombstones expire then (`TOMBSTONE_SECONDS`).
 */
export const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);
