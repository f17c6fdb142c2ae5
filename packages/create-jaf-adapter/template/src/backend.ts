import { createMemoryStorageError, type MemoryBackend, notWritten } from "@jaf/memory/adapter";
import type { MyStoreOptions } from "./config.ts";

// Write the functions in their order here, and run `npm test` after each: the first failure names the next one.
// "The guide" is node_modules/@jaf/memory/docs/adding-a-provider.md. It has a whole backend to start from. The types of
// all arguments and results are explained where `@jaf/memory/adapter` declares them.

/** Opens the storage. */
export async function openMyStoreBackend(_options: MyStoreOptions): Promise<MemoryBackend> {
  // First, open the client or the files here. If that fails, throw a `MemorySetupError` that says what helps.
  return {
    name: "my-store",

    // 1. Make one round trip to the storage that writes nothing. Throw if the storage can't be reached.
    //    Kit: healthCheck.
    ping: async () => notWritten("`ping` in src/backend.ts"),

    // 2. Wait for the calls in progress, then close what was opened above. It is called once, and nothing after it.
    //    Kit: close, and the end of every rule that opens a second connection.
    close: async () => notWritten("`close` in src/backend.ts"),

    // 3. Check and apply one write in one atomic step. The guide lists the checks and changes in their order, under
    //    "What a write decides". Nothing can be tested without `read`, so write both before you run the tests.
    //    Kit: storeMessages, appendMessages, every subject `options.*`, and the level concurrency.
    write: async (_write) => notWritten("`write` in src/backend.ts"),

    // 4. Return the conversation with the selected messages, as it is at one moment, or `conversation: null`.
    //    `selectedBounds` selects from messages in memory. An expired conversation doesn't exist.
    //    Kit: getConversation, getRecentMessages, readConversation, receipts, values, and the level limits.
    read: async (_request) => notWritten("`read` in src/backend.ts"),

    // 5. Delete the conversation and leave a tombstone, in one atomic step. Return whether it existed.
    //    Kit: deleteConversation, incarnations, erasures and writes at once.
    delete: async (_conversationId) => notWritten("`delete` in src/backend.ts"),

    // 6. Return the conversations that match all conditions, newest activity first, then any fixed order.
    //    Kit: findConversations, findConversations page by page, other users.
    find: async (_query) => notWritten("`find` in src/backend.ts"),

    // 7. Leave a tombstone of the user, then delete all conversations of the user. Return their number.
    //    Kit: clearUserConversations.
    clearUser: async (_userId) => notWritten("`clearUser` in src/backend.ts"),

    // 8. Count the conversations and messages of one user, or of all users if `userId` is absent.
    //    Kit: getStats, random operations (they use every function).
    stats: async (_userId) => notWritten("`stats` in src/backend.ts"),

    // 9. Turn the errors of your driver into tagged errors: `createMemoryConnectionError` if the storage can't be
    //    reached, else this. Set `retryable` if the same call can succeed later. Add `stop` in test/harness.ts.
    //    Kit: a store out of reach.
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the storage failed.", { provider: "my-store", cause: thrown }),
  };
}
