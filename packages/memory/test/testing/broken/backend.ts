import { defineMemoryProvider } from "../../../src/adapter.ts";
import type { ConversationWrite, MemoryBackend } from "../../../src/contract/backend.ts";
import { createInMemoryBackend } from "../../../src/in-memory/provider.ts";
import type { BrokenProvider } from "./broken.ts";

export const openIntactBackend = (): MemoryBackend =>
  createInMemoryBackend({ maxMessagesPerConversation: 10_000 });

export type Layer = (intact: MemoryBackend) => Partial<MemoryBackend>;

/** A provider on an intact storage, behind a layer with a mistake. */
export const brokenBackend = (caughtBy: string, layer: Layer): BrokenProvider => ({
  caughtBy,
  open: () => {
    const intact = openIntactBackend();
    return defineMemoryProvider({ ...intact, ...layer(intact) });
  },
});

/** Changes a write. */
export const writing =
  (change: (write: ConversationWrite) => ConversationWrite): Layer =>
  (intact) => ({ write: (write) => intact.write(change(write)) });

export const without = <W extends ConversationWrite>(write: W, ...fields: readonly (keyof W)[]): W =>
  Object.fromEntries(Object.entries(write).filter(([name]) => !fields.some((field) => field === name))) as W;

/** Reads a conversation with all messages. */
export const readAll = async (backend: MemoryBackend, conversationId: string) =>
  (await backend.read({ conversationId, messages: { kind: "all" } })).conversation;

/** A round trip to a store. */
export const trip = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
