import { idIssue, sha256 } from "@jaf/memory/internal";
import type { SessionKey } from "./types.ts";

/** Where a transcript is stored. */
export interface TranscriptPlace {
  readonly key: SessionKey;
  readonly conversationId: string;
  readonly owner: string;
  /** The session's main transcript, if this is the transcript of a subagent. */
  readonly parent: TranscriptPlace | undefined;
}

const hash = (...names: readonly string[]): string => sha256(JSON.stringify(names), "hex");

/** `userId`: the owner of all sessions. Default: the project is the owner. */
export function placeOf(
  { projectKey, sessionId, subpath }: SessionKey,
  userId: string | undefined,
): TranscriptPlace {
  const owner = userId ?? ownerOf(projectKey);
  const session = { projectKey, sessionId };
  const conversationId = `claude-agent:${hash(owner, projectKey, sessionId)}`;
  const parent = { key: session, conversationId, owner, parent: undefined };
  if (subpath === undefined) return parent;
  const own = `claude-agent:${hash(owner, projectKey, sessionId, subpath)}`;
  return { key: { ...session, subpath }, conversationId: own, owner, parent };
}

/** The owner of a project without a user. A name that is no valid user id is hashed. */
export const ownerOf = (projectKey: string): string =>
  idIssue("projectKey", projectKey) === undefined ? projectKey : `claude-agent:${hash(projectKey)}`;

/** The trace of a project's sessions, by which they are found. */
export const traceOf = (owner: string, projectKey: string): string =>
  `claude-agent:${hash(owner, projectKey)}`;
