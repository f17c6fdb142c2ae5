import { createMemoryValidationError, type MemoryIssue } from "../errors.ts";
import type { Message } from "../message.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { encodeMessages } from "./encode-messages.ts";

/**
 * Checks untrusted messages, e.g. a request body or another framework's history, as a
 * store would, and returns the same array. Rich messages (see {@link RichMessage}) are accepted, and are typed as
 * `Message` from here on.
 */
export function parseMessages(messages: unknown): Result<readonly Message[]> {
  const issues: MemoryIssue[] = [];
  encodeMessages(messages, issues);
  return issues.length === 0
    ? createSuccess(messages as readonly Message[])
    : createFailure(createMemoryValidationError(issues, { operation: "parseMessages" }));
}
