import type { MemoryBackend, ReadOutcome, StoredConversation } from "@jaf/memory/adapter";

/** A wrapper that stores another text instead of each body. */
export function transformed(
  backend: MemoryBackend,
  to: (body: string) => string,
  from: (body: string) => string,
) {
  const reading = (stored: StoredConversation): StoredConversation => ({
    ...stored,
    messages: stored.messages.map((body) => (typeof body === "string" ? from(body) : body)),
  });
  return {
    ...backend,
    write: (write) =>
      backend.write({ ...write, messages: write.messages.map((m) => ({ ...m, body: to(m.body) })) }),
    read: async (request): Promise<ReadOutcome> => {
      const read = await backend.read(request);
      return read.conversation === null ? read : { ...read, conversation: reading(read.conversation) };
    },
    find: async (query) => (await backend.find(query)).map(reading),
  } satisfies MemoryBackend;
}
