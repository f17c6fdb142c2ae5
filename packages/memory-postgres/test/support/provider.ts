import { createPostgresProvider, type PostgresProvider } from "../../src/index.ts";

/** A provider with appends that create missing conversations, for any owner, unless they say otherwise. */
export async function createProvider(
  ...given: Parameters<typeof createPostgresProvider>
): Promise<PostgresProvider> {
  const provider = await createPostgresProvider(...given);
  return {
    ...provider,
    appendMessages: (conversationId, messages, metadata, options) =>
      provider.appendMessages(conversationId, messages, metadata, { createIfMissing: "unowned", ...options }),
  };
}
