import type { MemoryProvider, Message } from "@jaf/memory";

export const say = (content: string): Message => ({ role: "user", content });

/** Returns the contents of the conversation's messages. Throws if it can't be read. */
export async function said(provider: MemoryProvider, conversationId: string): Promise<readonly unknown[]> {
  const result = await provider.getConversation(conversationId);
  if (!result.success) throw new Error(result.error.message);
  return result.data?.messages.map(({ content }) => content) ?? [];
}

export const UNOWNED = { createIfMissing: "unowned" } as const;
