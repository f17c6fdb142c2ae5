import {
  type MemoryErrorUnion,
  type MemoryProvider,
  MemorySetupError,
  type Message,
  type Result,
} from "@jaf/memory";
import { openSqlite } from "../../src/index.ts";

export const say = (content: string): Message => ({ role: "user", content });

export const UNOWNED = { createIfMissing: "unowned" } as const;

/** Returns the contents of the conversation's messages. Throws if it can't be read. */
export async function said(provider: MemoryProvider, conversationId: string): Promise<readonly unknown[]> {
  const result = await provider.getConversation(conversationId);
  if (!result.success) throw new Error(result.error.message);
  return result.data?.messages.map(({ content }) => content) ?? [];
}

/** Returns the error with which opening the file fails. */
export async function setupError(file: string): Promise<MemoryErrorUnion> {
  const thrown: unknown = await openSqlite(file).then(
    () => undefined,
    (reason) => reason,
  );
  if (!(thrown instanceof MemorySetupError)) throw new Error(`no MemorySetupError, but ${thrown}`);
  return thrown.error;
}

export function failure<T>(result: Result<T>): MemoryErrorUnion {
  if (result.success) throw new Error("It succeeded.");
  return result.error;
}
