import type { Inbox, Message, NewInboxEntry, PutEntry, Result } from "@jaf/memory";
import { createSuccess, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import { type UserPart, userPartsSchema } from "../content-parts.ts";
import { storableMessage } from "../immutable/messages.ts";
import { toEntryContent } from "../stored/inbox-entry.ts";
import { loadHead } from "../stored/load.ts";
import { toResult } from "../stored/provider-result.ts";
import type { ClientSettings } from "./config.ts";
import {
  ConversationOwnershipError,
  chooseConversation,
  type ExplicitIds,
  idSchema,
  openConversation,
} from "./conversation.ts";
import { storeOf } from "./conversation-store.ts";
import type { PromptOptions } from "./options.ts";
import { contextOf, conversationalFor } from "./parse-prompt.ts";

/** What is said in a message: a text, or content parts (e.g. a text and an image). */
export type SentMessage = string | readonly UserPart[];

/** The options of `AgentClient.send`. */
export interface SendOptions<Ctx> extends Pick<PromptOptions<Ctx>, "conversation" | "context"> {
  /**
   * Unique in the conversation: a message whose key was used within the last 24 hours isn't stored again. Pass the same
   * key when you try a failed call again. 1 to 255 UTF-16 units. Default: a random key.
   */
  readonly key?: string | undefined;
}

interface SendCall<Ctx> {
  readonly explicit: ExplicitIds;
  readonly message: SentMessage;
  readonly options: SendOptions<Ctx>;
}

const optionsSchema = z.strictObject({
  conversation: z.unknown().optional(),
  context: z.unknown().optional(),
  key: idSchema.optional(),
});

/** Puts a user's message into the inbox of the conversation; see `AgentClient.send`. */
export async function performSend<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  { explicit, message, options }: SendCall<Ctx>,
): Promise<Result<PutEntry>> {
  parseOptions<unknown>(optionsSchema, options, "send options");
  const said = saidIn(message);
  const inbox = inboxOf(settings);
  const found = await ownConversation(settings, explicit, options);
  if (!found.success) return found;
  const { key = crypto.randomUUID() } = options;
  return toResult("put", () => inbox.put({ ...found.data, key, content: toEntryContent(said) }));
}

/** Returns the user's message. Throws a `TypeError` if no store can hold it. */
function saidIn(message: SentMessage): Message {
  if (typeof message !== "string") parseOptions(partsSchema, message, "message");
  else if (message === "") throw new TypeError("Invalid message: expected a text that isn't empty.");
  const stored = storableMessage({ role: "user", content: message });
  if (stored.ok) return stored.message;
  throw new TypeError(`Invalid message: ${stored.problem}.`);
}

const partsSchema = userPartsSchema.min(1, "expected at least one part");

function inboxOf<Ctx, Out>({ memory: { inbox } }: ClientSettings<Ctx, Out>): Inbox {
  if (inbox !== undefined) return inbox.store;
  throw new TypeError("No inbox: give createAgentClient memory: { inbox: runInbox(…) }.");
}

/** Returns the ids of the user's conversation. A failure of the store is a failure in the result. */
async function ownConversation<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  explicit: ExplicitIds,
  options: SendOptions<Ctx>,
): Promise<Result<Pick<NewInboxEntry, "conversationId" | "userId">>> {
  const { agent } = settings;
  const declared = await conversationalFor(agent, await contextOf(settings, options), options);
  const choice = chooseConversation(explicit, declared, agent.name);
  if (choice.kind === "stateless" || choice.kind === "new")
    throw new TypeError("No conversation to send to: name one, e.g. with continue(conversationId).");
  const opened = await openConversation(storeOf(settings), choice, async () => undefined);
  if (!opened.success) return opened;
  const { conversationId, userId, mustOwn, provider } = opened.data;
  if (userId !== undefined && mustOwn === undefined) return createSuccess({ conversationId, userId });
  const head = await loadHead({ provider }, conversationId, { owner: userId });
  if (!head.success) {
    const { error } = head;
    if (error._tag === "MemoryConflictError" && error.reason === "owner")
      throw new ConversationOwnershipError();
    return head;
  }
  const owner = head.data.conversation?.userId;
  if (owner === undefined) throw new ConversationOwnershipError();
  return createSuccess({ conversationId, userId: owner });
}
