import { expect } from "vitest";
import type { MemoryErrorUnion } from "../errors.ts";
import type { ConversationMemory, ConversationMetadata, MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";

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
