import type { WriteMetadata } from "@jaf/memory";
import { sha256 } from "@jaf/memory/internal";

/** A namespace of a thread. The graph itself has the namespace `""`, and each subgraph has one of its own. */
export interface Place {
  readonly thread: string;
  readonly namespace: string;
}

/** Separates threads from the conversations of other engines. */
const PREFIX = "langgraph:";

/** The id of the thread's conversation. The conversations of subgraphs are its children, and are deleted with it. */
export const rootOf = ({ thread }: Pick<Place, "thread">): string => `${PREFIX}${thread}`;

export const conversationOf = (place: Place): string =>
  place.namespace === ""
    ? rootOf(place)
    : `langgraph-namespace:${sha256(JSON.stringify([place.thread, place.namespace]), "hex")}`;

/** The metadata with which a conversation is created. */
export const placeMetadata = ({ namespace }: Place): WriteMetadata =>
  namespace === "" ? {} : { langgraphNamespace: namespace };

/** The namespace of a child, or `undefined` if the child isn't one of ours. */
export function namespaceIn(metadata: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const namespace = metadata?.["langgraphNamespace"];
  return typeof namespace === "string" ? namespace : undefined;
}

/** The thread of a conversation, or `undefined` if the conversation isn't a thread's. */
export const threadIn = (conversationId: string): string | undefined =>
  conversationId.startsWith(PREFIX) ? conversationId.slice(PREFIX.length) : undefined;
