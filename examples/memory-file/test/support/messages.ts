import type { MemoryProvider, Message } from "@jaf/memory";

export const say = (content: string): Message => ({ role: "user", content });

/** What the conversation's messages say; fails the test if it can't be read. */
export async function said(provider: MemoryProvider, conversationId: string): Promise<readonly unknown[]> {
  const result = await provider.getConversation(conversationId);
  if (!result.success) throw new Error(result.error.message);
  return result.data?.messages.map(({ content }) => content) ?? [];
}

export const UNOWNED = { createIfMissing: "unowned" } as const;
