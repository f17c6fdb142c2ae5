import { sha256 } from "#digest";

/** For how long a tombstone stays. */
export const TOMBSTONE_SECONDS = 24 * 60 * 60;

/** What deleting a conversation, or clearing a user, leaves behind: random ids, `null` where nothing was erased lately. */
export interface Tombstones {
  readonly conversation: string | null;
  /** Of the user for whom the conversation would be made; `null` also where none was named. */
  readonly user: string | null;
}

/** What a write expects of a conversation's identity. */
export type ExpectedIncarnation =
  | { readonly present: string }
  /** That it isn't there, and that no erasure was done since these tombstones were read. */
  | { readonly absent: Tombstones };

/** SHA-256, base64url, 43 characters: what a tombstone is named by, which outlives what it was made for. */
export const tombstoneKey = (kind: "conversation" | "user", id: string): string =>
  sha256(`${kind}\0${id}`, "base64url");

const ABSENT = /^none:([\w-]{0,64}):([\w-]{0,64})$/;

export const absentIncarnation = ({ conversation, user }: Tombstones): string =>
  `none:${conversation ?? ""}:${user ?? ""}`;

/** `undefined` for what no read can have given. */
export function parseIncarnation(incarnation: string): ExpectedIncarnation | undefined {
  if (!incarnation.startsWith("none:")) return { present: incarnation };
  const [, conversation, user] = ABSENT.exec(incarnation) ?? [];
  if (conversation === undefined || user === undefined) return undefined;
  return { absent: { conversation: conversation || null, user: user || null } };
}

/**
 * Whether anything was erased since `seen` was read. A tombstone that has expired meanwhile says nothing: any erasure since
 * would have left another.
 */
export const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);
