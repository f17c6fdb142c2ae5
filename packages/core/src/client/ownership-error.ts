/**
 * The user has no conversation with this id: there is none, or it belongs to somebody else or to nobody. Which of them
 * it is can't be told from the error, so that nobody learns which ids exist.
 */
export class ConversationOwnershipError extends Error {
  override readonly name = "ConversationOwnershipError";

  constructor() {
    super("The user has no such conversation. Start a new one, or continue one of this user's.");
  }
}
