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

/** The conversation of a prompt, from which messages are loaded and in which they are stored. */
export type ConversationChoice =
  | { readonly kind: "stateless" }
  /** A new conversation. */
  | { readonly kind: "new"; readonly userId: string }
  /** An existing conversation. If `userId` is `undefined`, ownership isn't checked. */
  | { readonly kind: "resume"; readonly conversationId: string; readonly userId: string | undefined }
  /** The one conversation (thread) of the user with the agent. It might not exist yet. */
  | { readonly kind: "thread"; readonly userId: string; readonly agent: string }
  /**
   * The prompt must not use the conversation that it names: the id is invalid, or ownership must be checked and no user
   * is signed in.
   */
  | { readonly kind: "refused" };

export type StoredChoice = Exclude<ConversationChoice, { readonly kind: "stateless" }>;

/** The stored conversation that a prompt's run continues. */
export interface OpenConversation {
  readonly conversationId: string;
  /**
   * The user that the conversation must belong to. `undefined`: the application's own code named the conversation, so
   * ownership isn't checked.
   */
  readonly userId: string | undefined;
  /** Whether the run must check that the user owns the conversation. */
  readonly mustOwn?: true;
  /** The name of the thread (usually the agent's name). Absent if the conversation isn't a thread. */
  readonly agent?: string;
  readonly provider: MemoryProvider;
}

/**
 * The user has no conversation with this id. The conversation doesn't exist, has no owner or belongs to another user. The
 * error doesn't say which of these is true, so it doesn't reveal which ids exist.
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

/**
 * Stands for a prompt's option `conversation` or an agent's `conversational` that is present but names no user. If both are
 * absent, `undefined` is used instead.
 */
export const UNOWNED: ParsedConversational = Object.freeze({});

/**
 * Checks the option `conversation` or the agent's `conversational`. A falsy value becomes {@link UNOWNED}. Throws a
 * `TypeError` that names the invalid field.
 */
export const parseConversational = (value: unknown, what: string): ParsedConversational =>
  value ? parseOptions(conversationalSchema, value, what) : UNOWNED;

/**
 * Returns the checked `conversational` of an agent for this context. If `conversational` is a function, it is called
 * with the agent as `this`. If the function throws, the promise rejects with the function's error.
 */
export async function declaredBy<Ctx>(
  agent: { readonly conversational?: ConversationalDeclaration<Ctx> },
  context: Readonly<Ctx>,
): Promise<ParsedConversational> {
  const declared =
    typeof agent.conversational === "function" ? await agent.conversational(context) : agent.conversational;
  return parseConversational(declared, "Agent.conversational");
}

/**
 * Chooses the conversation of a prompt. The ids from `forUser` and `continue` take precedence over `declared`, which
 * comes from the prompt's option `conversation` or else from the agent's `conversational`. If `declared` is
 * `undefined`, both are absent. Then the application is trusted to pass only allowed ids.
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
 * Opens the prompt's conversation. An existing conversation is opened without a call to the store, so the run must
 * check its owner if `mustOwn` is `true`. A new conversation is created after `admit` has accepted the request.
 *
 * - If `choice` is refused, the promise rejects with {@link ConversationOwnershipError}.
 * - If `admit` rejects, the promise rejects with the same error.
 * - If the store fails, the promise resolves with a failure.
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
