import { present } from "@jaf/memory/internal";
import type { AiSdkUIMessage } from "../ui/ui-message.ts";
import { type Chat, conflict, invalid, readChat, writeChat } from "./chat.ts";
import { planSave, type StoreUIMessagesOptions } from "./save-plan.ts";
import {
  type AnyUIMessage,
  type StoredUIMessage,
  storedForm,
  storedIds,
  storedUIMessages,
  withShownId,
} from "./ui-format.ts";

/**
 * Returns the UI messages of a conversation, oldest first: those that {@link storeUIMessages} stored, exactly as they were,
 * and what other engines stored, converted as `toUIMessages` does. Returns `[]` if the user has no such conversation.
 * `Message`: the application's own type of UI messages. Its metadata, data parts and tools aren't checked;
 * `validateUIMessages` of the AI SDK can.
 *
 * Rejects with a `MemoryCallError` if the provider fails.
 *
 * @example
 * ```ts
 * import { loadUIMessages } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import type { UIMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 *
 * export const history = (conversationId: string, userId: string) =>
 *   loadUIMessages<UIMessage>({ provider, conversationId, userId });
 * ```
 */
export async function loadUIMessages<Message extends AnyUIMessage = AiSdkUIMessage>(
  chat: Chat,
): Promise<Message[]> {
  const { messages, firstPosition } = await readChat("loadUIMessages", chat);
  return shown(storedUIMessages(messages, firstPosition));
}

/** How often a save is decided again because another writer was faster. */
const MAX_ATTEMPTS = 20;

/**
 * Stores UI messages and returns all UI messages of the conversation after it. The messages are matched with the stored
 * ones by their ids, so `messages` may be the new ones alone, or the whole conversation, as `onFinish` of the AI SDK gives it:
 *
 * - New messages are appended, even if others were stored in the meantime. An unchanged message isn't stored again.
 * - If the last given message has changed, it replaces the stored version: a reply that is saved several times, or that
 *   got a tool's result or an answer to an approval. An earlier message stays as it is stored.
 * - Stored messages are dropped only for a regeneration or an edit: see {@link StoreUIMessagesOptions}.
 *
 * Rejects with a `MemoryCallError`, and stores nothing, in these cases:
 *
 * - A `MemoryConflictError`: another write came between and a change would overwrite it, an unknown message precedes a
 *   stored one, an earlier message of the user has changed, the conversation belongs to another user, or it was erased
 *   since the first call with this `chat`.
 * - A `MemoryValidationError`: a message has no id, two have the same, or a value can't be stored.
 *
 * The messages aren't checked otherwise. A client can send anything: store only its new message, and check it
 * (`validateUIMessages` of the AI SDK).
 *
 * @example
 * ```ts
 * import { storeUIMessages } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import { convertToModelMessages, type LanguageModel, streamText, type UIMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 * declare const model: LanguageModel;
 *
 * export async function answer(conversationId: string, userId: string, message: UIMessage) {
 *   const chat = { provider, conversationId, userId };
 *   const messages = await storeUIMessages(chat, [message]);
 *   const result = streamText({ model, messages: await convertToModelMessages(messages) });
 *   return result.toUIMessageStreamResponse({
 *     originalMessages: messages,
 *     generateMessageId: () => crypto.randomUUID(),
 *     onFinish: async (end) => void (await storeUIMessages(chat, end.messages)),
 *   });
 * }
 * ```
 */
export async function storeUIMessages<Message extends AnyUIMessage>(
  chat: Chat,
  messages: readonly Message[],
  options: StoreUIMessagesOptions = {},
): Promise<Message[]> {
  checkIds(messages);
  for (let attempt = 1; ; attempt++) {
    const reading = await readChat(OPERATION, chat);
    const stored = storedUIMessages(reading.messages, reading.firstPosition);
    const plan = planSave(stored, messages, options);
    if (plan === undefined) throw conflict("message-id", OPERATION);
    const entries = plan.written.map(({ ui, messages: as }): StoredUIMessage => {
      if (as !== undefined)
        return { ...present({ ui }), messages: withShownId({ ...present({ ui }), messages: as }) };
      return { ...present({ ui }), messages: ui === undefined ? [] : storedForm(ui) };
    });
    const after = [...stored.slice(0, plan.kept), ...entries];
    const write = writeOf(stored.slice(plan.kept), entries);
    if (write.messages.length === 0 && write.dropLast === 0) return shown(after);
    const written = await writeChat(OPERATION, chat, { reading, write });
    if (written === "alone") return shown(after);
    if (written === "among-others") return loadUIMessages<Message>(chat);
    if (attempt === MAX_ATTEMPTS) throw conflict("message-id", OPERATION);
  }
}

const OPERATION = "storeUIMessages";

function checkIds(messages: readonly AnyUIMessage[]): void {
  const ids = new Set<string>();
  for (const [index, { id }] of messages.entries()) {
    if (typeof id !== "string" || id === "")
      throw invalid(`messages[${index}].id`, "an id; a new reply has one by generateMessageId", OPERATION);
    if (ids.has(id)) throw invalid(`messages[${index}].id`, "an id that no other message has", OPERATION);
    ids.add(id);
  }
}

function writeOf(dropped: readonly StoredUIMessage[], written: readonly StoredUIMessage[]) {
  return {
    dropLast: dropped.reduce((sum, { messages }) => sum + messages.length, 0),
    messages: written.flatMap(({ messages }) => messages),
    messageIds: written.flatMap(({ ui, messages }) =>
      ui === undefined ? messages.map(() => null) : storedIds(ui.id, messages.length),
    ),
  };
}

// The stored messages hold what was stored as the application's type.
const shown = <Message extends AnyUIMessage>(stored: readonly StoredUIMessage[]): Message[] =>
  stored.flatMap(({ ui }) => (ui === undefined ? [] : [ui as Message]));
