import { createMemoryStorageError, type MemoryBackend, notWritten } from "@jaf/memory/adapter";
import type { MyStoreOptions } from "./config.ts";

// Write the functions in this order, and run `npm test` after each: the first failure names the next function.
// "The guide" is node_modules/@jaf/memory/docs/adding-a-provider.md, which has the rules and a whole backend. "Kit" names
// the subjects of the conformance kit that pass then. The types of all arguments and results have comments, too.

/** Opens the storage. */
export async function openMyStoreBackend(_options: MyStoreOptions): Promise<MemoryBackend> {
  // Open the client or the files here. If that fails, throw a `MemorySetupError` that says what helps.
  return {
    name: "my-store",

    // 1. Make one round trip to the storage that writes nothing. Throw if the storage can't be reached.
    //    Kit: healthCheck.
    ping: async () => notWritten("`ping` in src/backend.ts"),

    // 2. Wait for the calls in progress, then close what was opened above. No other function is called afterwards.
    //    Kit: close, and the end of each rule that opens a second connection.
    close: async () => notWritten("`close` in src/backend.ts"),

    // 3. Check and make one write in one atomic step. The guide lists the checks and the changes in their order, under
    //    "What a write decides". Return `{ status: "written" }`, or why the write was refused.
    //    A new conversation may be the child of another, which has to exist in the same step.
    //    Kit, once `read` is written, too: appendMessages and each subject `options.*`.
    write: async (_write) => notWritten("`write` in src/backend.ts"),

    // 4. Return the conversation with the selected messages, as it is at one moment, or `conversation: null`. An expired
    //    conversation doesn't exist. If the messages are in memory, `selectedBounds` selects them.
    //    Kit: getConversation, getRecentMessages, readConversation, receipts, export and import.
    read: async (_request) => notWritten("`read` in src/backend.ts"),

    // 5. Count the conversations and messages of one user, or of all users if `userId` is absent. Leave out children.
    //    Kit: getStats, storeMessages.
    stats: async (_userId) => notWritten("`stats` in src/backend.ts"),

    // 6. Return the conversations that match all conditions, newest activity first, then in any fixed order. Return
    //    children only by `childrenOf` or by their own id.
    //    Kit: findConversations, children in lists, values, other users.
    find: async (_query) => notWritten("`find` in src/backend.ts"),

    // 7. Delete the conversation and create a tombstone, in one atomic step. Delete all its descendants, too. Return
    //    whether the conversation existed.
    //    Kit: deleteConversation, children and erasures, incarnations.
    delete: async (_conversationId) => notWritten("`delete` in src/backend.ts"),

    // 8. Create a tombstone of the user, then delete all conversations of the user. Return their number, without
    //    children.
    //    Kit: clearUserConversations, random operations. All of the kit passes now, except for what it still skips.
    clearUser: async (_userId) => notWritten("`clearUser` in src/backend.ts"),

    // 9. Turn the errors of your driver into tagged errors: `createMemoryConnectionError` if the storage can't be
    //    reached, else this one. Set `retryable` if the same call can succeed later.
    //    Kit, once test/harness.ts has `stop`: a store out of reach.
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the storage failed.", { provider: "my-store", cause: thrown }),
  };
}
