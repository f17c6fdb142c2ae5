import { idIssue } from "@jaf/memory/engine";
import type { ParsedConversational } from "./conversational.ts";

/** What `forUser` and `continue` said. */
export interface Explicit {
  readonly userId?: string;
  readonly conversationId?: string;
}

/** Where a prompt's messages come from and go to. */
export type Plan =
  | { readonly kind: "stateless" }
  /** A new conversation. */
  | { readonly kind: "new"; readonly userId: string }
  /** This conversation; without a user nobody's right to it is checked. */
  | { readonly kind: "resume"; readonly conversationId: string; readonly userId: string | undefined }
  /** The one thread of the user with the agent, new or not. */
  | { readonly kind: "thread"; readonly userId: string; readonly agent: string }
  /** A conversation is named that can't be there, or the one who should have a right to it is nobody. */
  | { readonly kind: "refused" };

/**
 * Explicit outranks what the prompt's own option says, or else the agent's declaration, of which one is `declared`.
 * `undefined`: nobody was asked who it is, so the server is trusted.
 */
export function planOf(
  { userId: explicitUser, conversationId }: Explicit,
  declared: ParsedConversational | undefined,
  agentName: string,
): Plan {
  const userId = explicitUser ?? declared?.user;
  if (conversationId !== undefined) {
    // Who is asked for a user and has none must not get at what only the server may name without one.
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
