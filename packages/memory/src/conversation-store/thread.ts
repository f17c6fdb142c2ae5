import { sha256 } from "#digest";
import { idIssue } from "../codec/ids.ts";
import { createMemoryValidationError } from "../errors.ts";
import { ConversationStoreError } from "./error.ts";

/**
 * The conversation id of the one thread of a user and an agent: a hash over an encoding that no two pairs share.
 * Throws {@link ConversationStoreError} for what is no id.
 */
export function threadId(userId: string, agent: string): string {
  const issues = [idIssue("userId", userId), idIssue("agent", agent)].filter((issue) => issue !== undefined);
  if (issues.length > 0) {
    throw new ConversationStoreError(createMemoryValidationError(issues, { operation: "threadFor" }));
  }
  return `thread_${sha256(JSON.stringify(["jaf:thread", userId, agent]), "base64url")}`;
}
