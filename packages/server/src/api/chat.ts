import * as z from "zod";
import type { FailureCode } from "../http/failure.ts";
import { operation } from "../http/operation.ts";
import { anything, id, interruption, message, position, version } from "./values.ts";

/** What a user says: a text, or parts. */
const content = z.union([
  z.string().min(1),
  z
    .array(z.looseObject({ type: z.string().min(1) }).describe("A part of a message, e.g. text or media."))
    .min(1),
]);

const stream = z
  .boolean()
  .optional()
  .describe("Answer with server-sent events, as `Accept: text/event-stream` does.");

const approval = z.strictObject({
  toolCallId: id,
  approvalId: id,
  approved: z.boolean(),
  reason: z.string().max(2_000).optional(),
});

const toolResult = z.strictObject({
  toolCallId: id,
  result: z.union([z.string(), z.looseObject({})]),
});

const said = z.strictObject({
  role: z.literal("user", { error: 'expected "user": a client speaks for its user alone' }),
  content,
});

const chatFields = {
  conversationId: id.optional().describe("Absent: a new conversation."),
  message: content.optional(),
  messages: z.array(said).min(1).max(100).optional().describe("Several messages of the user."),
  history: z
    .array(z.looseObject({ role: z.string() }))
    .max(10_000)
    .optional()
    .describe("The conversation as the client has it. It is compared with what is stored."),
  historyToken: z.string().min(1).max(2_000).optional(),
  approvals: z.array(approval).min(1).max(100).optional(),
  toolResults: z.array(toolResult).min(1).max(100).optional(),
  stream,
};

export const turnFailures = ["not-found", "running", "changed"] satisfies readonly FailureCode[];

/** What operations that start a turn have in common. */
const startsTurn = {
  streams: "asked" as const,
  failures: turnFailures,
  answer: z.object({
    conversationId: z.string(),
    turnId: z.string(),
    status: z.enum(["completed", "interrupted", "stopped", "error"]),
    text: z.string().describe("Of the last reply."),
    messages: z.array(message).describe("The replies."),
    interruptions: z.array(interruption),
    output: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
    version: z.int().optional(),
    usage: anything.optional(),
    spent: anything.optional(),
  }),
};

const chatBody = z.strictObject({ agentName: id.optional(), ...chatFields });
export type ChatBody = z.output<typeof chatBody>;

export const chat = operation("post", "/chat", {
  ...{ ...startsTurn, summary: "Says something, or goes on with what waits." },
  body: chatBody,
});

export const chatWithAgent = operation("post", "/agents/{agentName}/chat", {
  ...{ ...startsTurn, summary: "As /chat, with this agent." },
  body: z.strictObject(chatFields),
});

export const editMessage = operation("post", "/conversations/{conversationId}/edit", {
  ...{ ...startsTurn, summary: "Replaces a message of the user and all after it." },
  body: z.strictObject({ position, version, message: content, agentName: id.optional(), stream }),
});

export const regenerate = operation("post", "/conversations/{conversationId}/regenerate", {
  ...{ ...startsTurn, summary: "Answers a message of the user anew." },
  body: z.strictObject({ position: position.optional(), version, agentName: id.optional(), stream }),
});
