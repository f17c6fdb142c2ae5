import * as z from "zod";
import { operation } from "../http/operation.ts";
import { anything, count, message, number, position, time, turnState, version } from "./values.ts";

const title = z.string().trim().min(1).max(200);

/** What is told of a conversation. */
const head = {
  conversationId: z.string(),
  title: z.string().nullable(),
  createdAt: time,
  lastActivity: time,
  version: z.int(),
};

export const listConversations = operation("get", "/conversations", {
  summary: "The user's conversations, the latest first.",
  query: z.object({ limit: count(100).default(30), cursor: z.string().min(1).max(1_000).optional() }),
  answer: z.object({
    conversations: z.array(
      z.object({
        ...head,
        messages: z.int().describe("How many it has."),
        turn: z.object({ turnId: z.string(), state: turnState }).optional(),
      }),
    ),
    nextCursor: z.string().optional(),
  }),
});

export const deleteConversations = operation("delete", "/conversations", {
  summary: "Deletes all conversations of the user.",
  answer: z.object({ deleted: z.int() }),
});

export const readConversation = operation("get", "/conversations/{conversationId}", {
  summary: "A conversation with its last messages.",
  query: z.object({ before: number.optional(), limit: count(1_000).default(100) }),
  answer: z.object({
    ...head,
    messages: z.array(z.object({ position: z.int(), message })),
    earlier: z.boolean().describe("Whether there are messages before the first of these."),
    turn: z.object({ turnId: z.string(), state: turnState, events: z.int() }).optional(),
  }),
});

export const renameConversation = operation("patch", "/conversations/{conversationId}", {
  summary: "Renames a conversation.",
  body: z.strictObject({ title }),
  answer: z.object({ title: z.string() }),
  failures: ["changed"],
});

export const deleteConversation = operation("delete", "/conversations/{conversationId}", {
  summary: "Deletes a conversation and the log of its turns.",
  answer: z.object({ deleted: z.literal(true) }),
});

export const exportConversation = operation("get", "/conversations/{conversationId}/export", {
  summary: "The whole conversation, as a file.",
  file: anything,
});

export const copyConversation = operation("post", "/conversations/{conversationId}/copy", {
  summary: "Copies a conversation, or its beginning.",
  body: z.strictObject({ upTo: position.optional(), version, title: title.optional() }),
  answer: z.object({ conversationId: z.string() }),
  failures: ["changed"],
});
