import { type Chat, changeChat, readChat } from "./chat.ts";
import { type AnyModelMessage, modelMessagesOf, storedModelMessage } from "./model-format.ts";

/**
 * Returns a conversation as model messages of the AI SDK, oldest first: those that {@link storeModelMessages} stored,
 * exactly as they were, and what other engines and {@link storeUIMessages} stored, in their standard form, without calls that
 * have no result. Returns `[]` if the user has no such conversation. `Message`: the AI SDK's own type. Rejects with a `MemoryCallError` if the provider fails.
 *
 * @example
 * ```ts
 * import { loadModelMessages } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import type { ModelMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 *
 * export const history = (conversationId: string) => loadModelMessages<ModelMessage>({ provider, conversationId });
 * ```
 */
export async function loadModelMessages<Message extends AnyModelMessage = AnyModelMessage>(
  chat: Chat,
): Promise<Message[]> {
  const { messages } = await readChat("loadModelMessages", chat);
  // The stored messages hold what was stored as the AI SDK's type.
  return modelMessagesOf(messages) as Message[];
}

/**
 * Appends model messages of the AI SDK to a conversation, and returns all messages after it. If several writers append at
 * the same time, no message is lost. Model messages have no ids, so a repeated call appends them again: call it once for what
 * `generateText` returned. Rejects with a `MemoryCallError` as {@link storeUIMessages} does.
 *
 * @example
 * ```ts
 * import { storeModelMessages } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import { generateText, type LanguageModel, type ModelMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 * declare const model: LanguageModel;
 *
 * export async function answer(conversationId: string, userId: string, content: string) {
 *   const chat = { provider, conversationId, userId };
 *   const messages = await storeModelMessages<ModelMessage>(chat, [{ role: "user", content }]);
 *   const { text, response } = await generateText({ model, messages });
 *   await storeModelMessages(chat, response.messages);
 *   return text;
 * }
 * ```
 */
export async function storeModelMessages<Message extends AnyModelMessage>(
  chat: Chat,
  messages: readonly Message[],
): Promise<Message[]> {
  const added = messages.flatMap(storedModelMessage);
  const { reading, isAlone } = await changeChat("storeModelMessages", chat, () => ({ messages: added }));
  if (!isAlone) return loadModelMessages<Message>(chat);
  return modelMessagesOf([...reading.messages, ...added]) as Message[];
}
