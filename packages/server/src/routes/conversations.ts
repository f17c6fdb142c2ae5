import type { ConversationMemory } from "@jaf/memory";
import { conversationCursor } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { chatIdOf } from "../ai-sdk/chat-ids.ts";
import { HttpFailure, notFound, unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { checkVersion, ownConversation, titleIn } from "./own-conversation.ts";
import { anything, count, message, number, position, time, turnState, version } from "./schemas.ts";

const titleSchema = z.string().trim().min(1).max(200);

/** The fields of a conversation in the responses that list and read conversations. */
const head = {
  conversationId: z.string(),
  chatId: z.string().describe("The id that opens the conversation in useChat of the AI SDK."),
  title: z.string().nullable(),
  createdAt: time,
  lastActivity: time,
  version: z.int(),
};

/** Number of conversations that a search looks through for one page. */
const SEARCHED = 1_000;

const listConversations = operation("get", "/conversations", {
  summary: "List the user's conversations, latest first",
  query: z.object({
    limit: count(100).default(30),
    cursor: z.string().min(1).max(1_000).optional(),
    search: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        `Only conversations whose title contains this text, in upper or lower case. Each page looks through ${SEARCHED} conversations, so a page with nextCursor may be empty.`,
      ),
  }),
  answer: z.object({
    conversations: z.array(
      z.object({
        ...head,
        messages: z.int().describe("Number of messages."),
        turn: z.object({ turnId: z.string(), state: turnState }).optional(),
      }),
    ),
    nextCursor: z.string().optional(),
  }),
});

const deleteConversations = operation("delete", "/conversations", {
  summary: "Delete all conversations of the user",
  answer: z.object({ deleted: z.int() }),
});

const readConversation = operation("get", "/conversations/{conversationId}", {
  summary: "Get a conversation with its last messages",
  query: z.object({ before: number.optional(), limit: count(1_000).default(100) }),
  answer: z.object({
    ...head,
    messages: z.array(z.object({ position: z.int(), message })),
    earlier: z.boolean().describe("Whether there are earlier messages."),
    turn: z.object({ turnId: z.string(), state: turnState, events: z.int() }).optional(),
  }),
});

const renameConversation = operation("patch", "/conversations/{conversationId}", {
  summary: "Rename a conversation",
  body: z.strictObject({ title: titleSchema }),
  answer: z.object({ title: z.string() }),
  failures: ["changed"],
});

const deleteConversation = operation("delete", "/conversations/{conversationId}", {
  summary: "Delete a conversation and the log of its turns",
  answer: z.object({ deleted: z.literal(true) }),
});

const exportConversation = operation("get", "/conversations/{conversationId}/export", {
  summary: "Export the whole conversation as a file",
  file: anything,
});

const copyConversation = operation("post", "/conversations/{conversationId}/copy", {
  summary: "Copy a conversation or its beginning",
  body: z.strictObject({ upTo: position.optional(), version, title: titleSchema.optional() }),
  answer: z.object({ conversationId: z.string() }),
  failures: ["changed"],
});

const headOf = (userId: string, conversation: ConversationMemory) => ({
  conversationId: conversation.conversationId,
  chatId: chatIdOf(userId, conversation),
  title: titleIn(conversation),
  createdAt: conversation.metadata?.createdAt,
  lastActivity: conversation.metadata?.lastActivity,
  version: conversation.metadata?.version,
});

/** Returns a function that checks whether a conversation's title contains `text`, ignoring case. */
function titleHas(text: string): (conversation: ConversationMemory) => boolean {
  const folded = (value: string) => value.normalize("NFKC").toLowerCase();
  const searched = folded(text);
  return (conversation) => folded(titleIn(conversation) ?? "").includes(searched);
}

export function conversationRoutes(route: Route, parts: ServerParts): void {
  const { provider, log, inbox, timers, messageSearch } = parts;

  /** Returns the latest turn of each conversation, by conversation id. Leaves out turns that have ended. */
  async function openTurns(userId: string, conversations: readonly ConversationMemory[]) {
    if (conversations.length === 0) return new Map();
    const queries = conversations.map(({ conversationId }) => ({ conversationId, limit: 1 }));
    const turns = unwrap(await log.readAll(queries)).flatMap((page) => (page === null ? [] : [page.turn]));
    return new Map(
      turns
        .filter((turn) => turn.state !== "ended" && turn.userId === userId)
        .map(({ conversationId, turnId, state }) => [conversationId, { turnId, state }]),
    );
  }

  /**
   * Returns whether the user's conversation is stored; `false` means that only its turns in the turn log are left.
   * Throws an `HttpFailure` if the user has neither.
   */
  async function hasConversation(conversationId: string, userId: string): Promise<boolean> {
    try {
      await ownConversation(parts, { conversationId, userId });
      return true;
    } catch (thrown) {
      if (!(thrown instanceof HttpFailure) || thrown.code !== "not-found") throw thrown;
      // An earlier deletion may have deleted the conversation and failed at its turns.
      const turns = await log.turnsOf(conversationId, 1);
      if (!turns.success && turns.error._tag === "MemoryValidationError") throw thrown;
      if (unwrap(turns)[0]?.userId !== userId) throw thrown;
      return false;
    }
  }

  route(listConversations, async ({ userId, query: { limit, cursor, search } }) => {
    const most = search === undefined ? limit : SEARCHED;
    const found = await provider.findConversations({
      ...{ userId, limit: most + 1, includeMessages: false },
      ...present({ cursor }),
    });
    const all = unwrap(found);
    const isWanted = search === undefined ? () => true : titleHas(search);
    const wanted = all.slice(0, most).filter(isWanted);
    const page = wanted.slice(0, limit);
    const turns = await openTurns(userId, page);
    const last = wanted.length > limit ? page.at(-1) : all.length > most ? all[most - 1] : undefined;
    return {
      conversations: page.map((conversation) => ({
        ...headOf(userId, conversation),
        messages: conversation.metadata?.totalMessages,
        turn: turns.get(conversation.conversationId),
      })),
      nextCursor: last && conversationCursor(last),
    };
  });

  route(deleteConversations, async ({ userId }) => {
    const eraseTurns = async (): Promise<void> => {
      if (timers !== undefined) unwrap(await timers.deleteUser(userId));
      if (inbox !== undefined) unwrap(await inbox.deleteUser(userId));
      unwrap(await log.deleteUser(userId));
    };
    // Erased again at the end, for what began meanwhile. A repeated request erases the rest.
    await eraseTurns();
    const deleted = unwrap(await provider.clearUserConversations(userId));
    await eraseTurns();
    messageSearch?.drop(userId);
    return { deleted };
  });

  route(readConversation, async ({ userId, conversationId, query: { before, limit } }) => {
    const selection = { limit, ...present({ before }) };
    const own = await ownConversation(parts, { conversationId, userId }, selection);
    const { conversation, firstPosition, version } = own;
    const latest = unwrap(await log.read({ conversationId, limit: 1 }))?.turn;
    const { metadata, messages } = conversation;
    const oldest = (metadata?.nextPosition ?? 0) - (metadata?.totalMessages ?? 0);
    return {
      ...headOf(userId, conversation),
      version,
      messages: messages.map((message, index) => ({ position: firstPosition + index, message })),
      earlier: messages.length > 0 && firstPosition > oldest,
      turn:
        latest?.userId === userId
          ? { turnId: latest.turnId, state: latest.state, events: latest.events }
          : undefined,
    };
  });

  route(renameConversation, async ({ userId, conversationId, body: { title } }) => {
    const { conversation } = await ownConversation(parts, { conversationId, userId });
    const expected = conversation.metadata?.incarnation;
    unwrap(
      await provider.appendMessages(
        conversationId,
        [],
        { title },
        present({ expectedIncarnation: expected }),
      ),
    );
    return { title };
  });

  route(deleteConversation, async ({ userId, conversationId }) => {
    const isStored = await hasConversation(conversationId, userId);
    const eraseTurns = async (): Promise<void> => {
      if (timers !== undefined) unwrap(await timers.deleteConversation(conversationId));
      if (inbox !== undefined) unwrap(await inbox.deleteConversation(conversationId));
      unwrap(await log.deleteConversation(conversationId));
    };
    // The turns first, so a failed deletion can be repeated. A running turn can't append to the turn log after that.
    // The turns are erased again at the end, because more may have begun.
    await eraseTurns();
    if (isStored) {
      unwrap(await provider.deleteConversation(conversationId));
      await eraseTurns();
    }
    return { deleted: true };
  });

  route(exportConversation, async ({ context, userId, conversationId }) => {
    await ownConversation(parts, { conversationId, userId });
    const record = unwrap(await provider.exportConversation(conversationId));
    if (record?.userId !== userId) throw notFound();
    context.header("content-disposition", 'attachment; filename="conversation.json"');
    return context.json(record);
  });

  route(copyConversation, async ({ userId, conversationId, body: { upTo, version, title } }) => {
    const own = await ownConversation(parts, { conversationId, userId }, "all");
    checkVersion(own, version);
    const { messages } = own.conversation;
    const kept = upTo === undefined ? messages : messages.slice(0, Math.max(0, upTo - own.firstPosition));
    const next = messages[kept.length];
    if (next !== undefined && next.role !== "user")
      throw new HttpFailure(
        "invalid-request",
        "Invalid body: upTo: expected the position of a user's message.",
      );
    const copy = crypto.randomUUID();
    const name = title ?? titleIn(own.conversation);
    const metadata = { userId, ...(name === null ? {} : { title: name }) };
    unwrap(
      await provider.appendMessages(copy, kept, metadata, { createIfMissing: true, expectedVersion: 0 }),
    );
    return { conversationId: copy };
  });
}
