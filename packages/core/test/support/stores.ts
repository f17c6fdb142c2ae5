import {
  createFailure,
  createMemoryConnectionError,
  type MemoryProvider,
  type Message,
  type WriteMetadata,
  type WriteOptions,
} from "@jaf/memory";

/** Appends to the conversation "c", and makes it if it isn't there. */
export const seed = (
  provider: MemoryProvider,
  messages: readonly Message[],
  metadata: WriteMetadata = {},
  options: WriteOptions = {},
) => provider.appendMessages("c", messages, metadata, { createIfMissing: "unowned", ...options });

export interface Write {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata | undefined;
  readonly options: WriteOptions | undefined;
}

/** Records every append that is tried. */
export function recordWrites(inner: MemoryProvider) {
  const writes: Write[] = [];
  const provider: MemoryProvider = {
    ...inner,
    appendMessages: (id, messages, metadata, options) => {
      writes.push({ messages, metadata, options });
      return inner.appendMessages(id, messages, metadata, options);
    },
  };
  return { provider, writes };
}

export type FailureMode =
  /** Refused: nothing was written. */
  | "before"
  /** Written, but the answer got lost. */
  | "after"
  /** As "before", and the provider breaks its contract by throwing. */
  | "throw";

/** Fails the append of messages with this number, from 1, and every one after it: the store is gone. */
export function failAppends(
  inner: MemoryProvider,
  from: number,
  mode: FailureMode = "before",
): MemoryProvider {
  let appends = 0;
  return {
    ...inner,
    appendMessages: async (...args) => {
      // What is noted without messages depends on the time.
      if (args[1].length > 0 || appends >= from) appends += 1;
      if (appends < from) return inner.appendMessages(...args);
      if (mode === "throw") throw new Error("the connection pool is closed");
      if (mode === "after" && appends === from) await inner.appendMessages(...args);
      return createFailure(createMemoryConnectionError("test"));
    },
  };
}

export async function storedMessages(provider: MemoryProvider, id = "c"): Promise<readonly Message[]> {
  const loaded = await provider.getConversation(id);
  if (!loaded.success) throw new Error(loaded.error.message);
  return loaded.data?.messages ?? [];
}
