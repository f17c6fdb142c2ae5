import type { AnyConversationStore, MemoryProvider, Result } from "@jaf/memory";
import {
  ConversationStoreError,
  createFailure,
  createMemoryStorageError,
  createSuccess,
  idIssue,
  parseOptions,
  present,
  providerOf,
} from "@jaf/memory/internal";
import * as z from "zod";
import type { ConversationalDeclaration } from "../agent.ts";
import { threadOf } from "./conversation-store.ts";

/** The ids that were passed to `forUser` and `continue`. */
export interface ExplicitIds {
  readonly userId?: string;
  readonly conversationId?: string;
}

/** The conversation that a prompt loads and stores. */
export type ConversationChoice =
  | { readonly kind: "stateless" }
  /** A new conversation. */
  | { readonly kind: "new"; readonly userId: string }
  /** An existing conversation. If `userId` is `undefined`, ownership isn't checked. */
  | { readonly kind: "resume"; readonly conversationId: string; readonly userId: string | undefined }
  /** The one conversation (thread) of the user with the agent. It might not exist yet. */
  | { readonly kind: "thread"; readonly userId: string; readonly agent: string }
  /** The prompt must not use the named conversation, because the id is invalid or no user is signed in. */
  | { readonly kind: "refused" };

export type StoredChoice = Exclude<ConversationChoice, { readonly kind: "stateless" }>;

/** The stored conversation that a prompt's run continues. */
export interface OpenConversation {
  readonly conversationId: string;
  /** The user that the conversation must belong to. `undefined`: ownership isn't checked. */
  readonly userId: string | undefined;
  /** Whether the run must check that the user owns the conversation. */
  readonly mustOwn?: true;
  /** The name of the thread (usually the agent's name). Absent if the conversation isn't a thread. */
  readonly agent?: string;
  readonly provider: MemoryProvider;
}

/**
 * The user has no conversation with this id: it doesn't exist, has no owner or belongs to another user. The error
 * doesn't say which, so it doesn't reveal which ids exist.
 *
 * @example
 * ```ts
 * import { type AgentClient, ConversationOwnershipError } from "@jaf/core";
 *
 * declare const client: AgentClient<string>;
 *
 * export async function answer(userId: string, conversationId: string, text: string): Promise<Response> {
 *   try {
 *     return new Response((await client.forUser(userId).continue(conversationId).prompt(text)).text);
 *   } catch (error) {
 *     if (error instanceof ConversationOwnershipError) return new Response("Not found.", { status: 404 });
 *     throw error;
 *   }
 * }
 * ```
 */
export class ConversationOwnershipError extends Error {
  override readonly name = "ConversationOwnershipError";

  constructor() {
    super("The user has no such conversation. Start a new one, or continue one of this user's.");
  }
}

export const idSchema = z.string().superRefine((id, context) => {
  const issue = idIssue("id", id);
  if (issue !== undefined) context.addIssue({ code: "custom", message: `expected ${issue.expected}` });
});

const userSchema = z
  .unknown()
  .refine((user) => !user || idIssue("user", user) === undefined, {
    error: "expected the id of a user, or a falsy value for no user",
  })
  .transform((user) => (typeof user === "string" && user !== "" ? user : undefined))
  .optional();

const conversationalSchema = z.strictObject({
  user: userSchema,
  // The id can come from a browser. An invalid id is refused like the id of another user's conversation.
  id: z.string().optional(),
  agent: idSchema.optional(),
  historyLimit: z.int().min(1).optional(),
});

export type ParsedConversational = z.output<typeof conversationalSchema>;

/** Stands for an option `conversation` or a field `conversational` that is present but names no user. */
export const UNOWNED: ParsedConversational = Object.freeze({});

/**
 * Checks a value of the option `conversation` or of `conversational`. Returns {@link UNOWNED} for a falsy value. Throws
 * a `TypeError` that names the invalid field.
 */
export const parseConversational = (value: unknown, what: string): ParsedConversational =>
  value ? parseOptions(conversationalSchema, value, what) : UNOWNED;

/** Resolves with the checked `conversational` of an agent. Rejects with the error of the function `conversational`. */
export async function declaredBy<Ctx>(
  agent: { readonly conversational?: ConversationalDeclaration<Ctx> },
  context: Readonly<Ctx>,
): Promise<ParsedConversational> {
  const declared =
    typeof agent.conversational === "function" ? await agent.conversational(context) : agent.conversational;
  return parseConversational(declared, "Agent.conversational");
}

/**
 * Chooses the conversation of a prompt. The ids from `forUser` and `continue` take precedence over `declared`.
 * `declared`: the option `conversation`, or else the agent's `conversational`; `undefined` if both are absent.
 */
export function chooseConversation(
  { userId: explicitUser, conversationId }: ExplicitIds,
  declared: ParsedConversational | undefined,
  agentName: string,
): ConversationChoice {
  const userId = explicitUser ?? declared?.user;
  if (conversationId !== undefined) {
    // A request without a signed-in user must not reach a conversation. Only the server itself can continue a conversation
    // without a user.
    if (userId === undefined && declared !== undefined) return { kind: "refused" };
    return existingConversation(conversationId, userId);
  }
  if (explicitUser !== undefined) return { kind: "new", userId: explicitUser };
  if (userId === undefined || declared === undefined) return { kind: "stateless" };
  if (declared.id !== undefined) return existingConversation(declared.id, userId);
  return { kind: "thread", userId, agent: declared.agent ?? agentName };
}

const existingConversation = (conversationId: string, userId: string | undefined): ConversationChoice =>
  idIssue("conversationId", conversationId) === undefined
    ? { kind: "resume", conversationId, userId }
    : { kind: "refused" };

/**
 * Opens the prompt's conversation. If `mustOwn` is `true` in the result, the run must still check the owner.
 *
 * - If `choice` is refused, rejects with {@link ConversationOwnershipError}.
 * - If `admit` rejects, rejects with the error of `admit`. A new conversation is created only after `admit` has
 *   resolved.
 * - If the store fails, resolves with a failure.
 */
export async function openConversation(
  store: AnyConversationStore,
  choice: StoredChoice,
  admit: () => Promise<void>,
): Promise<Result<OpenConversation>> {
  if (choice.kind === "refused") throw new ConversationOwnershipError();
  if (choice.kind === "resume") {
    const { conversationId, userId } = choice;
    const owned = userId === undefined ? {} : ({ mustOwn: true } as const);
    return createSuccess({ conversationId, userId, provider: providerFor(store, userId), ...owned });
  }
  const { userId } = choice;
  const refusals: unknown[] = [];
  const create = async () => {
    await admit().catch((thrown: unknown) => {
      refusals.push(thrown);
      throw thrown;
    });
    return store.create(undefined, choice.kind === "thread" ? { userId, agent: choice.agent } : { userId });
  };
  const found = await attempt(() => (choice.kind === "thread" ? threadOf(store, choice, create) : create()));
  if (refusals.length > 0) throw refusals[0];
  if (!found.success) return found;
  const conversationId = found.data;
  const label = choice.kind === "thread" ? { agent: choice.agent } : {};
  return createSuccess({ conversationId, userId, provider: providerFor(store, userId), ...label });
}

const providerFor = (store: AnyConversationStore, userId: string | undefined): MemoryProvider =>
  providerOf(store, present({ userId }));

async function attempt(task: () => Promise<string>): Promise<Result<string>> {
  try {
    const conversationId: unknown = await task();
    const issue = idIssue("conversationId", conversationId);
    if (issue === undefined) return createSuccess(conversationId as string);
    return createFailure(
      storageError(`the conversation store returned an invalid id: expected ${issue.expected}`),
    );
  } catch (thrown) {
    if (thrown instanceof ConversationStoreError) return createFailure(thrown.memoryError);
    return createFailure(storageError("the conversation store threw", thrown));
  }
}

const storageError = (reason: string, cause?: unknown) =>
  createMemoryStorageError("openConversation", reason, { provider: "conversation-store", cause });
