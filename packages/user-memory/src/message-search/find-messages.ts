import type { ConversationMetadata, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { isVersionedProvider, readFrom } from "@jaf/memory/internal";
import { type Matches, type MessageLocation, type Query, type RankedItem, rank } from "../ranker/index.ts";
import { type IndexScope, searchedText } from "./conversation-index.ts";
import { bestPassage, type FoundPassage } from "./passage.ts";

/** A message that a query finds. */
export interface FoundMessage extends FoundPassage {
  /** The id of the conversation. */
  readonly conversationId: string;
  /**
   * Position of the message in its conversation, from 0. Messages that were trimmed from the conversation are counted.
   */
  readonly position: number;
  /** The message as it is stored. */
  readonly message: Message;
  /** The metadata of the conversation, e.g. `lastActivity`, and `title` if the application sets one. */
  readonly metadata: ConversationMetadata | undefined;
  /** How well the message matches the query, above 0. Scores of different searches can't be compared. */
  readonly score: number;
}

interface Asked {
  readonly query: Query;
  readonly limit: number;
  /** The first message of its conversation that isn't searched. */
  readonly except: MessageLocation | undefined;
}

/** Maximum distance, in positions, of two found messages that one call reads together. */
const NEAR = 8;

/** Ranks the matches of an index, and reads them from the provider. Returns at most `limit` messages, best first. */
export async function findMessages(
  scope: IndexScope,
  matches: Matches,
  { query, limit, except }: Asked,
): Promise<Result<readonly FoundMessage[]>> {
  const ranked = bestOfEach(rank(query, matches, { limit: Number.POSITIVE_INFINITY })).filter(
    ({ location }) => !isFrom(except, location),
  );
  const found: FoundMessage[] = [];
  // Reads some more locations, because a location can have no message or a tool result.
  const size = limit + 10;
  for (let start = 0; start < ranked.length && found.length < limit; start += size) {
    const batch = ranked.slice(start, start + size);
    const read = await readLocations(scope, batch);
    if (!read.success) return read;
    for (const { location, score } of batch) {
      const one = read.data.get(nameOf(location));
      if (one === undefined || found.length >= limit) continue;
      const { message } = one;
      const role = message.role === "assistant" ? "assistant" : "user";
      const searched = { text: searchedText(message), role } as const;
      const passage = await bestPassage(searched, { query, matches, yieldIfDue: scope.yieldIfDue });
      found.push({ ...location, ...one, ...passage, score });
    }
  }
  return createSuccess(found);
}

interface Ranked {
  readonly location: MessageLocation;
  readonly score: number;
}

/** Whether a message is the message `first` or follows it in the same conversation. */
const isFrom = (first: MessageLocation | undefined, { conversationId, position }: MessageLocation): boolean =>
  conversationId === first?.conversationId && position >= first.position;

/** Returns each message once, with the score of its best passage. `items` must be sorted by score, best first. */
function bestOfEach(items: readonly RankedItem[]): readonly Ranked[] {
  const best = new Map<string, Ranked>();
  for (const { location, score } of items) {
    if (location !== undefined && !best.has(nameOf(location)))
      best.set(nameOf(location), { location, score });
  }
  return [...best.values()];
}

const nameOf = ({ conversationId, position }: MessageLocation): string => `${position}:${conversationId}`;

type ReadMessage = Pick<FoundMessage, "message" | "metadata">;

/**
 * Reads the messages at the given locations from the provider. Leaves out messages without text and messages of other
 * users.
 */
async function readLocations(
  { provider, userId }: IndexScope,
  ranked: readonly Ranked[],
): Promise<Result<ReadonlyMap<string, ReadMessage>>> {
  const near = isVersionedProvider(provider) ? NEAR : Number.POSITIVE_INFINITY;
  const reads = await Promise.all(
    spansOf(ranked, near).map(async ({ conversationId, first, last }) => ({
      conversationId,
      read: await readFrom(provider, conversationId, { messages: { after: first - 1, before: last + 1 } }),
    })),
  );
  const messages = new Map<string, ReadMessage>();
  for (const { conversationId, read } of reads) {
    if (!read.success) return read;
    const { conversation, firstPosition } = read.data;
    if (conversation?.userId !== userId) continue;
    for (const [index, message] of conversation.messages.entries()) {
      const position = firstPosition + index;
      if (searchedText(message).trim() === "") continue;
      messages.set(nameOf({ conversationId, position }), { message, metadata: conversation.metadata });
    }
  }
  return createSuccess(messages);
}

interface Span {
  readonly conversationId: string;
  readonly first: number;
  last: number;
}

function spansOf(ranked: readonly Ranked[], near: number): readonly Span[] {
  const byConversation = new Map<string, number[]>();
  for (const { location } of ranked) {
    const positions = byConversation.get(location.conversationId) ?? [];
    byConversation.set(location.conversationId, positions);
    positions.push(location.position);
  }
  const spans: Span[] = [];
  for (const [conversationId, positions] of byConversation) {
    let span: Span | undefined;
    for (const position of positions.sort((a, b) => a - b)) {
      if (span !== undefined && position - span.last <= near) span.last = position;
      else {
        span = { conversationId, first: position, last: position };
        spans.push(span);
      }
    }
  }
  return spans;
}
