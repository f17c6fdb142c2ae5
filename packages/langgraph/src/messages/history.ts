import type { ConversationReading } from "@jaf/memory";
import { appendTo, checkedProvider, type Place, present, type Seen, unwrap } from "@jaf/memory/internal";
import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphSettings } from "../settings.ts";
import { fromBaseMessages, toBaseMessages } from "./convert.ts";

/** Settings of {@link createChatHistory}. */
export interface ChatHistorySettings extends LangGraphSettings {
  /** The conversation, which may have been begun by another engine. */
  readonly conversationId: string;
}

/**
 * Creates a chat history of LangChain on a conversation. Its messages are standard messages: a conversation that another
 * engine began goes on in LangChain, and back. A call of `addMessages` is one append: no message of concurrent calls is
 * lost. What another engine wrote stays as it is.
 *
 * After a read or a write, messages are only added to that same conversation: if it was erased meanwhile, or if another
 * engine created the missing conversation, `addMessages` rejects. `clear` deletes the conversation. Throws a `TypeError` if the settings are invalid. The methods reject with
 * `MemoryCallError`.
 *
 * @example
 * ```ts
 * import { createChatHistory } from "@jaf/langgraph";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * const provider = createInMemoryProvider();
 * const history = createChatHistory({ provider, conversationId: "conv-123", userId: "ada" });
 * await history.addUserMessage("Where is my order?");
 * console.log(await history.getMessages());
 * ```
 */
export function createChatHistory(settings: ChatHistorySettings): BaseListChatMessageHistory {
  const { conversationId, userId } = settings;
  const provider = checkedProvider("createChatHistory", settings, ["conversationId"]);
  return new ConversationHistory({ provider, conversationId, userId });
}

class ConversationHistory extends BaseListChatMessageHistory {
  override lc_namespace = ["jaf", "langgraph"];
  readonly #place: Place;
  /** The conversation as it was read or written last. */
  #seen: Seen | undefined;

  constructor(place: Place) {
    super();
    this.#place = place;
  }

  override async getMessages(): Promise<BaseMessage[]> {
    const { conversation, incarnation } = await this.#read("all");
    this.#seen = { exists: conversation !== null, incarnation };
    return toBaseMessages(conversation?.messages ?? []);
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    this.#seen = await appendTo(this.#place, this.#seen, { messages: fromBaseMessages(messages) });
  }

  override async clear(): Promise<void> {
    const { provider, conversationId, userId } = this.#place;
    const isOwn = userId === undefined || (await this.#read("none")).conversation !== null;
    if (isOwn) await unwrap("deleteConversation", () => provider.deleteConversation(conversationId));
    this.#seen = undefined;
  }

  #read(messages: "all" | "none"): Promise<ConversationReading> {
    const { provider, conversationId, userId } = this.#place;
    const options = { messages, ...present({ userId, owner: userId }) };
    return unwrap("readConversation", () => provider.readConversation(conversationId, options));
  }
}
