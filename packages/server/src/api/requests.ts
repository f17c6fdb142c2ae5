import * as z from "zod";

const part = z.looseObject({ type: z.string().min(1) }).describe("A part of a message, e.g. text or media.");

/** What a user says: a text, or parts. */
const content = z.union([z.string().min(1), z.array(part).min(1)]);

const id = z.string().min(1).max(255);
const version = z.int().min(0).describe("The version of the conversation that the client saw.");
const position = z.int().min(0).describe("Counted from the conversation's first message.");
const title = z.string().trim().min(1).max(200);

const stream = z
  .boolean()
  .optional()
  .describe("Answer with server-sent events, as `Accept: text/event-stream` does.");

const approval = z.strictObject({
  toolCallId: z.string().min(1).max(255),
  approvalId: z.string().min(1).max(255),
  approved: z.boolean(),
  reason: z.string().max(2_000).optional(),
});

const toolResult = z.strictObject({
  toolCallId: z.string().min(1).max(255),
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

export const chatBody = z.strictObject({ agentName: id.optional(), ...chatFields });
export const agentChatBody = z.strictObject(chatFields);
export type ChatBody = z.output<typeof chatBody>;

export const editBody = z.strictObject({
  position,
  version,
  message: content,
  agentName: id.optional(),
  stream,
});
export const regenerateBody = z.strictObject({
  position: position.optional(),
  version,
  agentName: id.optional(),
  stream,
});
export const copyBody = z.strictObject({ upTo: position.optional(), version, title: title.optional() });
export const renameBody = z.strictObject({ title });
export const stopBody = z.strictObject({ turnId: id.optional() });

export const factBody = z.strictObject({
  fact: z.string().trim().min(1).max(2_000),
  tags: z.array(z.string().min(1).max(100)).max(20).optional(),
});
export const reviewBody = z.strictObject({ decision: z.enum(["approve", "reject"]) });

/** What `DefaultChatTransport` of the AI SDK sends, and `agentName` beside it. */
export const aiSdkChatBody = z.looseObject({
  id: z.string().min(1).max(1_000).describe("The chat. Each user has their own of this id."),
  messages: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        role: z.enum(["system", "user", "assistant"]),
        parts: z.array(z.looseObject({ type: z.string() })),
      }),
    )
    .min(1)
    .describe("UI messages, of which the one counts that the request is about."),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().optional(),
  agentName: z.string().min(1).optional(),
});

/** A number in a query. */
const count = (to: number) => z.coerce.number<string>().pipe(z.int().min(1).max(to));
const number = z.coerce.number<string>().pipe(z.int().min(0));

export const conversationsQuery = z.object({
  limit: count(100).default(30),
  cursor: z.string().min(1).max(1_000).optional(),
});
export const messagesQuery = z.object({ before: number.optional(), limit: count(1_000).default(100) });
export const eventsQuery = z.object({
  turnId: id.optional(),
  from: number.optional(),
  limit: count(1_000).default(1_000),
});
export const turnsQuery = z.object({ limit: count(100).default(20) });
export const factsQuery = z.object({
  status: z.enum(["active", "quarantined", "superseded"]).default("active"),
  limit: count(1_000).default(200),
});
export const factQuery = z.object({ query: z.string().min(1).max(2_000).optional() });
