import { type ConversationReading, MemoryCallError } from "@jaf/memory";
import { checkedProvider, present, unwrap } from "@jaf/memory/internal";
import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import type { Memory, MemorySettings } from "../settings.ts";
import { fromBaseMessages, toBaseMessages } from "./convert.ts";

/** Settings of {@link createChatHistory}. */
export interface ChatHistorySettings extends MemorySettings {
  /** The conversation, which may have been begun by another engine. */
  readonly conversationId: string;
}

/**
 * Creates a chat history of LangChain on a conversation. Its messages are standard messages: a conversation that another
 * engine began goes on in LangChain, and back. A call of `addMessages` is one append: no message of concurrent calls is
 * lost. What another engine wrote stays as it is.
 *
 * After a read or a write, messages are only added to that same conversation: if it was erased meanwhile, `addMessages`
 * rejects. `clear` deletes the conversation. Throws a `TypeError` if the settings are invalid. The methods reject with
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
  return new ConversationHistory({ provider, userId }, conversationId);
}

/** The conversation as it was read or written last. */
interface Seen {
  readonly incarnation: string;
  readonly exists: boolean;
}

const seenIn = ({ incarnation, conversation }: ConversationReading): Seen => ({
  incarnation,
  exists: conversation !== null,
});

class ConversationHistory extends BaseListChatMessageHistory {
  override lc_namespace = ["jaf", "langgraph"];
  readonly #memory: Memory;
  readonly #conversationId: string;
  #seen: Seen | undefined;

  constructor(memory: Memory, conversationId: string) {
    super();
    this.#memory = memory;
    this.#conversationId = conversationId;
  }

  override async getMessages(): Promise<BaseMessage[]> {
    const read = await this.#read("all");
    this.#seen = seenIn(read);
    const { conversation } = read;
    return toBaseMessages(conversation?.messages ?? []);
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    const { provider, userId } = this.#memory;
    const batch = fromBaseMessages(messages);
    const idempotencyKey = crypto.randomUUID();
    const append = async (seen: Seen): Promise<void> => {
      const written = await provider.appendMessages(this.#conversationId, batch, present({ userId }), {
        idempotencyKey,
        createIfMissing: "unowned",
        expectedIncarnation: seen.incarnation,
        ...present({ expectedVersion: seen.exists ? undefined : 0 }),
      });
      if (written.success) {
        const incarnation = seen.exists ? seen.incarnation : written.receipt?.incarnation;
        this.#seen = incarnation === undefined ? undefined : { exists: true, incarnation };
        return;
      }
      const { error } = written;
      if (!seen.exists && error._tag === "MemoryConflictError" && error.reason !== "owner") {
        const now = seenIn(await this.#read("none"));
        // Another writer created the conversation. Otherwise it was erased, and nothing may be added.
        if (now.exists) return append(now);
      }
      throw new MemoryCallError(error);
    };
    // An append that expects nothing would take over a conversation without an owner.
    this.#seen ??= seenIn(await this.#read("none"));
    await append(this.#seen);
  }

  override async clear(): Promise<void> {
    const { provider, userId } = this.#memory;
    const isOwn = userId === undefined || (await this.#read("none")).conversation !== null;
    if (isOwn) await unwrap("deleteConversation", () => provider.deleteConversation(this.#conversationId));
    this.#seen = undefined;
  }

  #read(messages: "all" | "none"): Promise<ConversationReading> {
    const { provider, userId } = this.#memory;
    const options = { messages, ...present({ userId, owner: userId }) };
    return unwrap("readConversation", () => provider.readConversation(this.#conversationId, options));
  }
}
