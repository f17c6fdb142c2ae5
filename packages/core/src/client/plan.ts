import { idIssue } from "@jaf/memory/engine";
import type { ParsedConversational } from "./conversational-option.ts";

/** The ids that were passed to `forUser` and `continue`. */
export interface Explicit {
  readonly userId?: string;
  readonly conversationId?: string;
}

/** Where a prompt's messages come from and go to. */
export type Plan =
  | { readonly kind: "stateless" }
  /** A new conversation. */
  | { readonly kind: "new"; readonly userId: string }
  /** This conversation. Without a user, ownership isn't checked. */
  | { readonly kind: "resume"; readonly conversationId: string; readonly userId: string | undefined }
  /** The one thread of the user with the agent, new or not. */
  | { readonly kind: "thread"; readonly userId: string; readonly agent: string }
  /** The conversation's id is invalid, or ownership has to be checked and there is no user. */
  | { readonly kind: "refused" };

/**
 * The explicit ids take precedence over `declared`, which is the prompt's option, or else the agent's declaration. `undefined`:
 * neither is present, so the server is trusted.
 */
export function planOf(
  { userId: explicitUser, conversationId }: Explicit,
  declared: ParsedConversational | undefined,
  agentName: string,
): Plan {
  const userId = explicitUser ?? declared?.user;
  if (conversationId !== undefined) {
    // A request without a signed-in user must not reach a conversation that only the server may name without a user.
    if (userId === undefined && declared !== undefined) return { kind: "refused" };
    return resume(conversationId, userId);
  }
  if (explicitUser !== undefined) return { kind: "new", userId: explicitUser };
  if (userId === undefined || declared === undefined) return { kind: "stateless" };
  if (declared.id !== undefined) return resume(declared.id, userId);
  return { kind: "thread", userId, agent: declared.agent ?? agentName };
}

const resume = (conversationId: string, userId: string | undefined): Plan =>
  idIssue("conversationId", conversationId) === undefined
    ? { kind: "resume", conversationId, userId }
    : { kind: "refused" };
