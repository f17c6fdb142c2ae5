import { expect } from "vitest";
import type { MemoryConflictError, MemoryConflictReason, MemoryErrorUnion } from "../errors.ts";
import { present } from "../present.ts";
import type { ConversationMemory, ConversationMetadata, MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";
import type { ConversationReading, ReadOptions, VersionedMemoryProvider } from "../versioned-provider.ts";

type ErrorTag = MemoryErrorUnion["_tag"];

/** The data of a success. */
export function expectOk<T>(result: Result<T>): T {
  if (result.success) return result.data;
  const { _tag, operation, message } = result.error;
  return expect.fail(`expected a success, got ${_tag} of ${operation}: ${message}`);
}

/** The error of a failure with this tag, complete as every error has to be. */
export function expectError<Tag extends ErrorTag>(
  result: Result<unknown>,
  tag: Tag,
): Extract<MemoryErrorUnion, { readonly _tag: Tag }> {
  if (result.success) return expect.fail(`expected a ${tag}, got a success`);
  const { error } = result;
  expect(error).toMatchObject({
    _tag: tag,
    message: expect.stringMatching(/./),
    provider: expect.stringMatching(/./),
    operation: expect.stringMatching(/./),
    retryable: expect.any(Boolean),
  });
  return error as Extract<MemoryErrorUnion, { readonly _tag: Tag }>;
}

/** A write that was refused for this reason. */
export function expectConflict(result: Result<unknown>, reason: MemoryConflictReason): MemoryConflictError {
  const error = expectError(result, "MemoryConflictError");
  expect(error, "why it was refused").toMatchObject({ reason, retryable: false });
  return error;
}

/** The outcome of a call with input that the types forbid: a `MemoryValidationError` that says where, never a throw. */
export async function expectInvalid(call: () => Promise<Result<unknown>>, path?: string): Promise<void> {
  const error = expectError(await call(), "MemoryValidationError");
  expect(error.retryable, "invalid input stays invalid").toBe(false);
  expect(error.issues.length).toBeGreaterThan(0);
  for (const issue of error.issues) expect(issue.expected).not.toBe("");
  if (path !== undefined) expect(error.issues.map((issue) => issue.path)).toContain(path);
}

/** A conversation that has to be there. */
export async function readConversation(
  provider: MemoryProvider,
  conversationId: string,
): Promise<ConversationMemory & { readonly metadata: ConversationMetadata }> {
  const conversation = expectOk(await provider.getConversation(conversationId));
  if (conversation?.metadata === undefined) return expect.fail("expected a conversation with metadata");
  return { ...conversation, metadata: conversation.metadata };
}

export async function expectAbsent(provider: MemoryProvider, conversationId: string): Promise<void> {
  expect(expectOk(await provider.getConversation(conversationId))).toBeNull();
}

/** What `readConversation` gives of `c`, or of another one. */
export const read = async (
  provider: VersionedMemoryProvider,
  options?: ReadOptions,
  conversationId = "c",
): Promise<ConversationReading> => expectOk(await provider.readConversation(conversationId, options));

/** For `expectedIncarnation`. */
export const incarnationOf = async (
  provider: VersionedMemoryProvider,
  conversationId = "c",
  userId?: string,
): Promise<string> => {
  const options: ReadOptions = { messages: "none", ...present({ userId }) };
  return (await read(provider, options, conversationId)).incarnation;
};

/** The contents of what is stored, which tell these tests' messages apart. */
export async function readContents(
  provider: MemoryProvider,
  conversationId: string,
): Promise<readonly string[]> {
  return contents((await readConversation(provider, conversationId)).messages);
}

export const contents = (messages: ConversationMemory["messages"]): readonly string[] =>
  messages.map(({ content }) => content);

export const ids = (conversations: readonly ConversationMemory[]): readonly string[] =>
  conversations.map(({ conversationId }) => conversationId);
