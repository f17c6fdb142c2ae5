import type { AnyConversationStore, MemoryProvider, Result } from "@jaf/memory";
import { createFailure, createMemoryStorageError, createSuccess, idIssue, present } from "@jaf/memory/engine";
import { ConversationStoreError, providerOf } from "@jaf/memory/turns";
import { toResult } from "../memory/to-result.ts";
import { ConversationOwnershipError } from "./ownership-error.ts";
import type { Plan } from "./plan.ts";
import { threadOf } from "./user-thread.ts";

/** The stored conversation that a run goes on with. */
export interface OpenConversation {
  readonly conversationId: string;
  /** Absent: the server itself asks. */
  readonly userId: string | undefined;
  /** The key of the agent whose thread it is; absent: of no thread. */
  readonly agent?: string;
  readonly provider: MemoryProvider;
}

export type StoredPlan = Exclude<Plan, { readonly kind: "stateless" }>;

/**
 * Finds the conversation, or has the store make it if `admit` allows that. A store that fails is a failure. Throws
 * {@link ConversationOwnershipError} for a conversation that the user has no right to, and what `admit` throws.
 */
export async function openConversation(
  store: AnyConversationStore,
  plan: StoredPlan,
  admit: () => Promise<void>,
): Promise<Result<OpenConversation>> {
  if (plan.kind === "refused") throw new ConversationOwnershipError();
  if (plan.kind === "resume") return resume(providerFor(store, plan.userId), plan);
  const { userId } = plan;
  const refusals: unknown[] = [];
  const create = async () => {
    await admit().catch((thrown: unknown) => {
      refusals.push(thrown);
      throw thrown;
    });
    return store.create(undefined, plan.kind === "thread" ? { userId, agent: plan.agent } : { userId });
  };
  const found = await attempt(() => (plan.kind === "thread" ? threadOf(store, plan, create) : create()));
  if (refusals.length > 0) throw refusals[0];
  if (!found.success) return found;
  const conversationId = found.data;
  const label = plan.kind === "thread" ? { agent: plan.agent } : {};
  return createSuccess({ conversationId, userId, provider: providerFor(store, userId), ...label });
}

const providerFor = (store: AnyConversationStore, userId: string | undefined): MemoryProvider =>
  providerOf(store, present({ userId }));

/** A conversation without an owner, or one that doesn't exist, is refused in the same way as another user's. */
async function resume(
  provider: MemoryProvider,
  { conversationId, userId }: Extract<Plan, { readonly kind: "resume" }>,
): Promise<Result<OpenConversation>> {
  if (userId !== undefined) {
    const query = { conversationId, userId, includeMessages: false };
    const found = await toResult("findConversations", () => provider.findConversations(query));
    if (!found.success) return found;
    if (found.data.length === 0) throw new ConversationOwnershipError();
  }
  return createSuccess({ conversationId, userId, provider });
}

async function attempt(task: () => Promise<string>): Promise<Result<string>> {
  try {
    const conversationId: unknown = await task();
    const issue = idIssue("conversationId", conversationId);
    if (issue === undefined) return createSuccess(conversationId as string);
    return createFailure(
      storageError(`the conversation store gave an id that is none: expected ${issue.expected}`),
    );
  } catch (thrown) {
    if (thrown instanceof ConversationStoreError) return createFailure(thrown.memoryError);
    return createFailure(storageError("the conversation store threw", thrown));
  }
}

const storageError = (reason: string, cause?: unknown) =>
  createMemoryStorageError("openConversation", reason, { provider: "conversation-store", cause });
