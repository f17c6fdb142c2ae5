import { type ConversationMemory, MemoryCallError, type Message, type RichMessage } from "@jaf/memory";
import { present, sha256, thawed, unwrap } from "@jaf/memory/internal";
import type { Item } from "@langchain/langgraph-checkpoint";
import { conversations } from "../conversations.ts";
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
  readonly names: () => Promise<readonly DocumentName[]>;
  /** Returns all documents, the last written first. */
  readonly all: () => Promise<readonly FoundDocument[]>;
}

/** The conversation whose children are the documents. */
interface Root {
  readonly incarnation: string;
  readonly exists: boolean;
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
  let root: Root | undefined;

  async function look(): Promise<Root> {
    const options = { messages: "none", ...present({ userId, owner: userId }) } as const;
    const read = await unwrap("readConversation", () => provider.readConversation(rootId, options));
    return { incarnation: read.incarnation, exists: read.conversation !== null };
  }

  /** What was seen first stays: after an erasure, all puts are refused. */
  const known = async (): Promise<Root> => {
    root ??= await look();
    return root;
  };

  /** Returns the incarnation of the root, which is created if it is missing. */
  async function parent(): Promise<string> {
    const before = await known();
    if (before.exists) return before.incarnation;
    const { incarnation: expectedIncarnation } = before;
    const options = { createIfMissing: "unowned", expectedVersion: 0, expectedIncarnation } as const;
    const created = await provider.appendMessages(rootId, [], owner, options);
    const now = await look();
    // If the write failed, another writer may have created it.
    if (now.exists) {
      root = now;
      return now.incarnation;
    }
    throw created.success
      ? new TypeError("the documents were erased meanwhile")
      : new MemoryCallError(created.error);
  }

  async function list(includeMessages: boolean): Promise<readonly ConversationMemory[]> {
    await known();
    const found: ConversationMemory[] = [];
    for await (const one of conversations(memory, { childrenOf: rootId, includeMessages })) found.push(one);
    return found;
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
    names: async () => (await list(false)).flatMap((conversation) => nameIn(conversation) ?? []),
    all: async () => (await list(true)).flatMap((conversation) => documentIn(conversation) ?? []),
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
