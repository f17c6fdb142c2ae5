import type { PromptInput } from "@jaf/core";
import type { ApprovalDecision, Message } from "@jaf/memory";
import { messageText, offTheRecord, present } from "@jaf/memory/internal";
import * as z from "zod";
import { checkFiles, clientPart, type NamedFile, namedFiles } from "../http/client-content.ts";
import { type FailureCode, HttpFailure, notFound } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import type { Identity, TurnRequest } from "../turns/turn-service.ts";
import { checkAddedFiles, readToolResults } from "./continued.ts";
import { checkVersion, ownConversation } from "./own-conversation.ts";
import { anything, callId, id, interruption, message, position, version } from "./schemas.ts";
import { answerTurn, ownEncoder } from "./turn-response.ts";

/** The content of a user's message: a text or a list of parts. */
export const contentSchema = z.union([z.string().min(1), z.array(clientPart).min(1)]);

const stream = z
  .boolean()
  .optional()
  .describe("Whether to respond with server-sent events, as with `Accept: text/event-stream`.");

const background = z
  .boolean()
  .optional()
  .describe("Whether to respond with status 202 and the turn's ids as soon as the turn has begun.");

const approval = z.strictObject({
  toolCallId: callId,
  approvalId: id,
  approved: z.boolean(),
  reason: z.string().max(2_000).optional(),
});

const toolResult = z.strictObject({
  toolCallId: callId,
  result: z.union([z.string(), z.looseObject({})]),
});

const saidSchema = z.strictObject({
  role: z.literal("user", { error: 'expected "user"' }),
  content: contentSchema,
});

const chatFields = {
  conversationId: id.optional().describe("If absent, a new conversation is created."),
  message: contentSchema.optional(),
  messages: z.array(saidSchema).min(1).max(100).optional().describe("Several messages of the user."),
  history: z
    .array(z.looseObject({ role: z.string() }))
    .max(10_000)
    .optional()
    .describe("The client's copy of the conversation. It must match the stored messages."),
  historyToken: z.string().min(1).max(2_000).optional(),
  offTheRecord: z
    .boolean()
    .optional()
    .describe("Whether nothing of the turn is remembered as facts. The conversation is stored as always."),
  approvals: z.array(approval).min(1).max(100).optional(),
  toolResults: z.array(toolResult).min(1).max(100).optional(),
  stream,
  background,
};

export const turnFailures = ["not-found", "running", "changed"] satisfies readonly FailureCode[];

/** The fields that are the same in the definitions of all routes that start a turn. */
const startsTurn = {
  streams: "asked" as const,
  failures: turnFailures,
  accepted: z.object({ conversationId: z.string(), turnId: z.string() }),
  answer: z.object({
    conversationId: z.string(),
    turnId: z.string(),
    status: z.enum(["completed", "interrupted", "stopped", "error"]),
    text: z.string().describe("Text of the last reply."),
    messages: z.array(message).describe("All replies of the turn."),
    interruptions: z.array(interruption),
    output: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
    version: z.int().optional(),
    usage: anything.optional(),
    spent: anything.optional(),
  }),
};

const chatBody = z.strictObject({ agentName: id.optional(), ...chatFields });
type ChatBody = z.output<typeof chatBody>;

const chat = operation("post", "/chat", {
  ...{ ...startsTurn, summary: "Send a message, or answer pending calls" },
  body: chatBody,
});

const chatWithAgent = operation("post", "/agents/{agentName}/chat", {
  ...{ ...startsTurn, summary: "Send a message to this agent, or answer pending calls" },
  body: z.strictObject(chatFields),
});

const editMessage = operation("post", "/conversations/{conversationId}/edit", {
  ...{ ...startsTurn, summary: "Replace a message of the user and drop all later messages" },
  body: z.strictObject({
    position,
    version,
    message: contentSchema,
    agentName: id.optional(),
    stream,
    background,
  }),
});

const regenerate = operation("post", "/conversations/{conversationId}/regenerate", {
  ...{ ...startsTurn, summary: "Answer a message of the user again" },
  body: z.strictObject({
    position: position.optional(),
    version,
    agentName: id.optional(),
    stream,
    background,
  }),
});

export function chatRoutes(route: Route, parts: ServerParts): void {
  route(chat, async ({ context, body }) => {
    const agentName = agentOf(parts, body.agentName);
    const turn = await turnOf(parts, context.get("identity"), body);
    return answerTurn(parts, context, { agentName, ...turn }, ownEncoder(context, body));
  });

  const isThere = ({ agentName }: { readonly agentName: string }): void => {
    if (!parts.agents.has(agentName)) throw notFound();
  };
  route({ ...chatWithAgent, check: isThere }, async ({ context, agentName, body }) => {
    const turn = await turnOf(parts, context.get("identity"), body);
    return answerTurn(parts, context, { agentName, ...turn }, ownEncoder(context, body));
  });
}

/** Adds the routes to edit and regenerate messages. */
export function editRoutes(route: Route, parts: ServerParts): void {
  route(editMessage, async ({ context, conversationId, body }) => {
    const { position, version, message } = body;
    const agentName = agentOf(parts, body.agentName);
    await checkFiles(parts.settings, context.get("identity"), namedFiles(message, ["message"]));
    const input = [{ role: "user", content: message }] as PromptInput;
    const request = { target: { conversationId }, agentName, input, edit: { position, version } };
    return answerTurn(parts, context, request, ownEncoder(context, body));
  });

  route(regenerate, async ({ context, userId, conversationId, body }) => {
    const { version } = body;
    const agentName = agentOf(parts, body.agentName);
    const said = await saidAt(parts, { conversationId, userId, version }, body.position);
    const { position, message } = said;
    const request = {
      ...{ target: { conversationId }, agentName, input: [message] },
      edit: { position, version },
    };
    return answerTurn(parts, context, request, ownEncoder(context, body));
  });
}

/**
 * Returns `named`, or the default agent's name if `named` is `undefined`. Throws an `HttpFailure` if the server has no
 * agent with the name `named`.
 */
export function agentOf({ agents, defaultAgent }: ServerParts, named: string | undefined): string {
  if (named !== undefined && !agents.has(named))
    throw new HttpFailure(
      "invalid-request",
      "Invalid body: agentName: unknown agent. GET /agents lists all agents.",
    );
  return named ?? defaultAgent;
}

const TITLE_LENGTH = 80;

/**
 * Returns the title for a new conversation, made from the text of its first message. Returns `undefined` if this
 * message has no text.
 */
export function titleOf(
  { settings }: ServerParts,
  input: readonly Pick<Message, "content">[],
): string | undefined {
  const [first] = input;
  const text = first === undefined ? "" : messageText(first as Message);
  if (text.trim() === "") return undefined;
  const { titleOf: ofText = firstWords } = settings;
  return ofText(text) || undefined;
}

/** Returns the first 80 characters of a text, with one space in place of any white space, e.g. line breaks. */
function firstWords(text: string): string {
  // A character has one or two code units.
  const enough = 2 * TITLE_LENGTH;
  let words = "";
  // Reads only the words that are needed: the text can have a million characters.
  for (const [word] of text.matchAll(/\S+/g)) {
    words += words === "" ? word : ` ${word}`;
    if (words.length >= enough) break;
  }
  return Array.from(words.slice(0, enough)).slice(0, TITLE_LENGTH).join("");
}

type Said = Pick<TurnRequest, "target" | "input" | "approvals" | "toolResults" | "messages" | "historyToken">;

async function turnOf(parts: ServerParts, identity: Identity, body: ChatBody): Promise<Said> {
  const { conversationId, message, messages = [], history, historyToken, approvals } = body;
  if (message !== undefined && messages.length > 0)
    throw new HttpFailure("invalid-request", "Invalid body: set either message or messages, not both.");
  const said = message === undefined ? messages : [{ role: "user" as const, content: message }];
  const continues = approvals ?? body.toolResults ?? history ?? historyToken;
  if (said.length === 0 && continues === undefined && conversationId === undefined)
    throw new HttpFailure("invalid-request", "Invalid body: message: expected a message of the user.");
  const { toolResults, files } = readToolResults(body.toolResults);
  await checkFiles(parts.settings, identity, [...filesIn(body), ...files]);
  await checkAddedFiles(parts, identity, body);
  const title = titleOf(parts, said as readonly Message[]);
  return {
    target: conversationId === undefined ? { newId: undefined, ...present({ title }) } : { conversationId },
    // The engine checks the parts.
    input: (body.offTheRecord === true ? said.map(marked) : said) as PromptInput,
    ...(history === undefined ? {} : { messages: history as unknown as readonly Message[] }),
    ...present({ historyToken }),
    ...(approvals === undefined ? {} : { approvals: approvals as readonly ApprovalDecision[] }),
    ...present({ toolResults }),
  };
}

/** Marks a user's message, so that user memory doesn't remember its turn. */
const marked = ({ role, content }: z.output<typeof saidSchema>): z.output<typeof saidSchema> => ({
  role,
  content:
    typeof content === "string"
      ? offTheRecord(content)
      : [{ type: "text", text: offTheRecord("") }, ...content],
});

const filesIn = ({ message, messages = [] }: ChatBody): readonly NamedFile[] => [
  ...namedFiles(message, ["message"]),
  ...messages.flatMap(({ content }, index) => namedFiles(content, ["messages", index, "content"])),
];

interface Seen {
  readonly conversationId: string;
  readonly userId: string;
  readonly version: number;
}

const PAGE = 50;

/**
 * Returns the user's message at `position`. Default: the user's last message. Throws an `HttpFailure` if there is no
 * such message.
 */
async function saidAt(
  parts: ServerParts,
  seen: Seen,
  position: number | undefined,
): Promise<{ readonly position: number; readonly message: Message }> {
  let before = position === undefined ? undefined : position + 1;
  for (;;) {
    const limit = position === undefined ? PAGE : 1;
    const own = await ownConversation(parts, seen, { limit, ...present({ before }) });
    checkVersion(own, seen.version);
    const { conversation, firstPosition } = own;
    const index = conversation.messages.findLastIndex(({ role }) => role === "user");
    const message = conversation.messages[index];
    const isRight = position === undefined || firstPosition + index === position;
    if (message !== undefined && isRight) return { position: firstPosition + index, message };
    if (position !== undefined || conversation.messages.length < PAGE)
      throw new HttpFailure(
        "invalid-request",
        "Invalid body: position: expected the position of a user's message.",
      );
    before = firstPosition;
  }
}
