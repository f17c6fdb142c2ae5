import { present } from "@jaf/memory/internal";
import type { AiSdkUIMessage } from "../ui/ui-message.ts";
import { type Chat, changeChat, conflict, readChat } from "./chat.ts";
import { checkMessages, checkSent } from "./checks.ts";
import { type PlannedEntry, planSave, type SavePlan, type StoreUIMessagesOptions } from "./save-plan.ts";
import { planTaken, type TakeMessageOptions } from "./taken.ts";
import {
  type AnyUIMessage,
  type StoredUIMessage,
  storedForm,
  storedIds,
  storedUIMessages,
  withShownId,
} from "./ui-format.ts";

/**
 * Returns the UI messages of a conversation, oldest first: those that were stored here, exactly as they were,
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

/**
 * Stores what a client sent, and returns all UI messages of the conversation after it, for the model. `message` is the last
 * message of `useChat`, of which only this is taken:
 *
 * - Of the user: a new message, or with `options` an edit or a regeneration. It may have texts, files and data parts.
 * - Of the assistant: answers to calls of the stored message that wait for them. An answer to an approval is taken once,
 *   and an output only for a tool in `options.clientTools`. The call and its input stay as they are stored.
 *
 * With a new message of the user, calls that were approved but have no result, e.g. after a crash, get an error as their
 * result, since models refuse calls without one.
 *
 * So a client can make neither instructions nor replies, calls, inputs and approvals of calls that didn't ask for one. What
 * it says about itself is its word: the addresses of its files, its metadata, the outputs of its tools.
 *
 * Rejects with a `MemoryCallError`, and stores nothing, in these cases:
 *
 * - A `MemoryConflictError`: there is nothing new to answer, e.g. after a repeated request, or a case of
 *   {@link storeUIMessages}. Answer with status 409.
 * - A `MemoryValidationError`: the message has another form. Answer with status 400.
 *
 * @example
 * ```ts
 * import { storeUIMessages, takeMessage } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import { convertToModelMessages, type LanguageModel, streamText, type UIMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 * declare const model: LanguageModel;
 *
 * export async function answer(conversationId: string, userId: string, message: UIMessage) {
 *   const chat = { provider, conversationId, userId };
 *   const messages = await takeMessage(chat, message);
 *   const prompt = await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true });
 *   return streamText({ model, messages: prompt }).toUIMessageStreamResponse({
 *     originalMessages: messages,
 *     generateMessageId: () => crypto.randomUUID(),
 *     onFinish: async (end) => void (await storeUIMessages(chat, end.messages)),
 *   });
 * }
 * ```
 */
export async function takeMessage<Message extends AnyUIMessage>(
  chat: Chat,
  message: Message,
  options: TakeMessageOptions = {},
): Promise<Message[]> {
  checkSent(message, "takeMessage");
  return save("takeMessage", chat, (stored) => planTaken(stored, message, options));
}

/**
 * Stores UI messages that the server made, e.g. a reply, and returns all UI messages of the conversation after it. The
 * messages are matched with the stored ones by their ids, so `messages` may be the new ones alone, or the whole
 * conversation, as `onFinish` of the AI SDK gives it:
 *
 * - New messages are appended, even if others were stored in the meantime. An unchanged message isn't stored again.
 * - If the last given message has changed, it replaces the stored version: a reply that is saved several times, or that
 *   got a tool's result. An earlier message stays as it is stored.
 * - Stored messages are dropped only for a regeneration or an edit: see {@link StoreUIMessagesOptions}.
 *
 * Rejects with a `MemoryCallError`, and stores nothing, in these cases:
 *
 * - A `MemoryConflictError`: another write came between and a change would overwrite it, a reply is older than the stored
 *   version (it lacks a step, or an answer to a call), an unknown message precedes a stored one, an earlier message of the
 *   user has changed, a message has another role, the conversation belongs to another user, or it was erased since the
 *   first call with this `chat`.
 * - A `MemoryValidationError`: a message has no id, two have the same, or a value can't be stored.
 *
 * The messages aren't checked otherwise. What a client sent goes through {@link takeMessage}, which has an example.
 *
 * @example
 * ```ts
 * import { storeUIMessages } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import type { UIMessage } from "ai";
 *
 * declare const provider: MemoryProvider;
 *
 * const welcome: UIMessage = { id: "welcome", role: "assistant", parts: [{ type: "text", text: "Hello!" }] };
 * await storeUIMessages({ provider, conversationId: "chat-7", userId: "user-42" }, [welcome]);
 * ```
 */
export async function storeUIMessages<Message extends AnyUIMessage>(
  chat: Chat,
  messages: readonly Message[],
  options: StoreUIMessagesOptions = {},
): Promise<Message[]> {
  checkMessages(messages, "storeUIMessages");
  return save("storeUIMessages", chat, (stored) => planSave(stored, messages, options));
}

/** Carries out a plan, and returns all UI messages after it. */
async function save<Message extends AnyUIMessage>(
  operation: string,
  chat: Chat,
  planFor: (stored: readonly StoredUIMessage[]) => SavePlan | undefined,
): Promise<Message[]> {
  const { write, isAlone } = await changeChat(operation, chat, ({ messages, firstPosition }) => {
    const stored = storedUIMessages(messages, firstPosition);
    const plan = planFor(stored);
    if (plan === undefined) throw conflict("message-id", operation);
    const written = plan.written.map(entryOf);
    return {
      ...writeOf(stored.slice(plan.kept), written),
      after: [...stored.slice(0, plan.kept), ...written],
    };
  });
  return isAlone ? shown(write.after) : loadUIMessages<Message>(chat);
}

/** Returns what is stored for an entry of a plan. */
function entryOf({ ui, messages }: PlannedEntry): StoredUIMessage {
  if (messages !== undefined)
    return { ...present({ ui }), messages: withShownId({ ...present({ ui }), messages }) };
  return { ...present({ ui }), messages: ui === undefined ? [] : storedForm(ui) };
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
