import type { MemoryErrorUnion } from "@jaf/memory";

/** The store of conversations or the turn log failed. The message holds no content of a conversation. */
export class TurnStoreError extends Error {
  override readonly name = "TurnStoreError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}
