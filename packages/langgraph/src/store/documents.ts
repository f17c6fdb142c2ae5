import { type ConversationMemory, MemoryCallError, type Message, type RichMessage } from "@jaf/memory";
import {
  allConversations,
  appendTo,
  look,
  present,
  type Seen,
  sha256,
  thawed,
  unwrap,
} from "@jaf/memory/internal";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Memory } from "../settings.ts";

/** Names a document. */
export interface DocumentName {
  readonly namespace: readonly string[];
  readonly key: string;
}

/** Which texts of a document a query finds. `undefined`: all. `false`: none. Otherwise the texts at these paths. */
export type IndexedFields = false | readonly string[] | undefined;

export interface FoundDocument {
  readonly item: Item;
  readonly index: IndexedFields;
}

/** The documents of one owner. */
export interface Documents {
  readonly get: (name: DocumentName) => Promise<FoundDocument | undefined>;
  readonly put: (name: DocumentName, value: Record<string, unknown>, index: IndexedFields) => Promise<void>;
  readonly remove: (name: DocumentName) => Promise<void>;
  /** Returns the names of all documents, the last written first. */
  readonly names: () => AsyncIterable<DocumentName>;
  /** Returns all documents, the last written first. Reads as far as the caller goes on. */
  readonly all: () => AsyncIterable<FoundDocument>;
}

/**
 * Keeps each document as a conversation with one message, whose field `langgraph` holds the value. The documents are
 * children of one conversation: so lists of conversations don't contain them, a query finds them all, and they are
 * erased with their owner.
 */
export function createDocuments(memory: Memory): Documents {
  const { provider, userId } = memory;
  const owner = present({ userId });
  // The ids depend on the owner, so that the documents of different owners have nothing in common.
  const rootId = hashed("documents", [userId ?? null]);
  const idOf = ({ namespace, key }: DocumentName) => hashed("document", [userId ?? null, namespace, key]);
  const place = { provider, conversationId: rootId, userId };
  /** The conversation whose children are the documents. */
  let root: Seen | undefined;

  /** What was seen first stays: after an erasure, all puts are refused. */
  const known = async (): Promise<Seen> => {
    root ??= await look(place);
    return root;
  };

  /** Returns the incarnation of the root, which is created if it is missing. */
  async function parent(): Promise<string> {
    const before = await known();
    if (before.exists) return before.incarnation;
    root = await appendTo(place, before, { messages: [] });
    return root.incarnation;
  }

  async function* list<T>(
    includeMessages: boolean,
    read: (conversation: ConversationMemory) => T | undefined,
  ): AsyncGenerator<T> {
    await known();
    const query = { ...owner, childrenOf: rootId, includeMessages };
    for await (const conversation of allConversations(provider, query)) {
      const found = read(conversation);
      if (found !== undefined) yield found;
    }
  }

  return {
    get: async (name) => {
      await known();
      const options = { messages: { limit: 1 }, ...present({ owner: userId }) };
      const read = await unwrap("readConversation", () => provider.readConversation(idOf(name), options));
      return read.conversation === null ? undefined : documentIn(read.conversation);
    },
    put: async ({ namespace, key }, value, index) => {
      const message: RichMessage = { role: "assistant", content: "", langgraph: value };
      const metadata = { ...owner, langgraph: { namespace, key, ...present({ index }) } };
      const childOf = { conversationId: rootId, incarnation: await parent() };
      const id = idOf({ namespace, key });
      const written = await provider.storeMessages(id, [message as Message], metadata, { childOf });
      if (!written.success) throw new MemoryCallError(written.error);
    },
    remove: async (name) =>
      void (await unwrap("deleteConversation", () => provider.deleteConversation(idOf(name)))),
    names: () => list(false, nameIn),
    all: () => list(true, documentIn),
  };
}

const hashed = (kind: string, parts: readonly unknown[]): string =>
  `langgraph-${kind}:${sha256(JSON.stringify(parts), "hex")}`;

interface StoredName extends DocumentName {
  readonly index?: IndexedFields;
}

const nameIn = ({ metadata }: ConversationMemory): StoredName | undefined =>
  metadata?.["langgraph"] as StoredName | undefined;

function documentIn(conversation: ConversationMemory): FoundDocument | undefined {
  const name = nameIn(conversation);
  const message: RichMessage | undefined = conversation.messages.at(-1);
  const { metadata } = conversation;
  if (name === undefined || message === undefined || metadata === undefined) return undefined;
  const item = {
    namespace: [...name.namespace],
    key: name.key,
    value: thawed(message["langgraph"]) as Item["value"],
    createdAt: metadata.createdAt,
    updatedAt: metadata.updatedAt,
  };
  return { item, index: name.index };
}
