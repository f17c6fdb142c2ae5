import { createPostgresProvider, type PostgresProvider } from "../../src/index.ts";

/** A provider whose appends make what isn't there, whoever owns it, unless they say otherwise. */
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
