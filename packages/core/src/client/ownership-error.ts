/**
 * The user has no conversation with this id: it doesn't exist, or belongs to another user or to nobody. The error doesn't tell
 * which, so that nobody learns which ids exist.
 */
export class ConversationOwnershipError extends Error {
  override readonly name = "ConversationOwnershipError";

  constructor() {
    super("The user has no such conversation. Start a new one, or continue one of this user's.");
  }
}
