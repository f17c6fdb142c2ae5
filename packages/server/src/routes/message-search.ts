import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { HttpFailure, unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { ownConversation, titleIn } from "./own-conversation.ts";
import { count, id, time } from "./schemas.ts";

const range = z.object({ start: z.int(), end: z.int() });

const searchMessages = operation("get", "/messages/search", {
  summary: "Search the user's messages by words, best match first",
  query: z.object({
    query: z.string().trim().min(1).max(1_000),
    limit: count(100).default(10),
    conversationId: id.optional(),
  }),
  answer: z.object({
    messages: z.array(
      z.object({
        conversationId: z.string(),
        title: z.string().nullable().describe("Title of the conversation."),
        createdAt: time.describe("When the conversation was created."),
        lastActivity: time.describe("When the conversation was last changed."),
        position: z.int(),
        role: z.string(),
        passage: z.string().describe("The part of the message that matches best."),
        matches: z.array(range).describe("Where the passage contains words of the query, in UTF-16 units."),
      }),
    ),
  }),
  failures: ["not-configured", "not-found"],
});

/** Number of further messages that a search finds, because some contain no word of the query. */
const SPARE = 20;

/** Adds the route that searches in the messages of the user's conversations. */
export function messageSearchRoutes(route: Route, parts: ServerParts): void {
  const { messageSearch } = parts;

  route(searchMessages, async ({ userId, query: { query, limit, conversationId } }) => {
    if (messageSearch === undefined)
      throw new HttpFailure(
        "not-configured",
        "The server searches no messages. Set messageSearch of its options to createMessageSearch(provider) of @jaf/user-memory.",
      );
    if (conversationId !== undefined) await ownConversation(parts, { conversationId, userId });
    const options = { limit: limit + SPARE, ...present({ conversationId }) };
    const found = unwrap(await messageSearch.search(userId, query, options));
    // Who searches for a word expects it in each message. Messages near a match help a model only.
    const holding = found.filter(({ matches }) => matches.length > 0).slice(0, limit);
    return {
      messages: holding.map(({ conversationId, position, message, metadata, passage, matches }) => ({
        ...{ conversationId, title: titleIn({ metadata }) },
        ...{ createdAt: metadata?.createdAt, lastActivity: metadata?.lastActivity },
        ...{ position, role: message.role, passage, matches },
      })),
    };
  });
}
