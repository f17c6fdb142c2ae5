import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { checkedMemory, type LangGraphSettings } from "../settings.ts";
import { createDocuments, type Documents, type FoundDocument } from "./documents.ts";
import { isMatch, isWithin, passes, searchedText } from "./matching.ts";

/** Ranks texts by a query, best first, as `rankTexts` of `@jaf/user-memory` does. Leaves out texts that don't match. */
export type RankTexts = (
  query: string,
  texts: readonly string[],
) => readonly { readonly index: number; readonly score: number }[];

/** Settings of {@link createStore}. */
export interface StoreSettings extends LangGraphSettings {
  /** How `search` ranks documents by a `query`: `rankTexts` of `@jaf/user-memory`. Without it, a `query` is refused. */
  readonly rank?: RankTexts;
}

/**
 * Creates a store for `graph.compile({ store })`: JSON documents by namespace and key.
 *
 * - A put replaces the document, the last one wins. `createdAt` stays.
 * - `search` returns the documents that were written last first, or the best matches of a `query` first. A `query` and
 *   `listNamespaces` read all documents of the owner: they are for up to some thousands.
 * - With `userId`, the documents are erased by `clearUserConversations(userId)`. If the user was erased after the first
 *   call of this object, all its later puts are refused with a `MemoryCallError`, because what they store may come from
 *   before. So create a store for each run.
 *
 * Throws a `TypeError` if the settings are invalid. The methods reject with `MemoryCallError`.
 *
 * @example
 * ```ts
 * import { createStore } from "@jaf/langgraph";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { rankTexts } from "@jaf/user-memory";
 *
 * const store = createStore({ provider: createInMemoryProvider(), userId: "ada", rank: rankTexts });
 * await store.put(["memories"], "diet", { text: "Is allergic to nuts." });
 * console.log(await store.search(["memories"], { query: "allergies" }));
 * ```
 */
export const createStore = (settings: StoreSettings): BaseStore =>
  new DocumentStore(createDocuments(checkedMemory("createStore", settings)), settings.rank);

class DocumentStore extends BaseStore {
  readonly #documents: Documents;
  readonly #rank: RankTexts | undefined;

  constructor(documents: Documents, rank: RankTexts | undefined) {
    super();
    this.#documents = documents;
    this.#rank = rank;
  }

  /** As in LangGraph's own stores, reads of a batch don't see its puts, and the last put of a document counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = new Map<string, PutOperation>();
    for (const operation of operations) {
      if ("value" in operation) puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
    }
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    await Promise.all([...puts.values()].map((operation) => this.#put(operation)));
    return results as OperationResults<Op>;
  }

  async #read(operation: Operation): Promise<Item | null | SearchItem[] | string[][] | undefined> {
    if ("value" in operation) return undefined;
    if ("namespacePrefix" in operation) return this.#search(operation);
    if ("key" in operation) return (await this.#documents.get(operation))?.item ?? null;
    return this.#listNamespaces(operation);
  }

  #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const name = { namespace, key };
    return value === null ? this.#documents.remove(name) : this.#documents.put(name, value, index);
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter = {}, query, limit = 10, offset = 0 } = operation;
    // The best matches of a query may stand anywhere.
    const wanted = query ? Number.POSITIVE_INFINITY : offset + limit;
    const found: FoundDocument[] = [];
    for await (const document of this.#documents.all()) {
      const { namespace, value } = document.item;
      if (isWithin(namespace, namespacePrefix) && passes(value, filter)) found.push(document);
      if (found.length >= wanted) break;
    }
    const items = query ? this.#ranked(query, found) : found.map(({ item }) => item);
    return items.slice(offset, offset + limit);
  }

  #ranked(query: string, found: readonly FoundDocument[]): readonly SearchItem[] {
    if (this.#rank === undefined) {
      throw new TypeError(
        "search: a query needs the setting rank of createStore, e.g. rankTexts of @jaf/user-memory.",
      );
    }
    return this.#rank(query, found.map(searchedText)).flatMap(({ index, score }) => {
      const document = found[index];
      return document === undefined ? [] : [{ ...document.item, score }];
    });
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const distinct = new Set<string>();
    for await (const { namespace } of this.#documents.names()) {
      if (matchConditions.every((condition) => isMatch(namespace, condition)))
        distinct.add(JSON.stringify(namespace.slice(0, maxDepth)));
    }
    const sorted = [...distinct].sort().map((namespace) => JSON.parse(namespace) as string[]);
    return sorted.slice(offset, offset + limit);
  }
}
