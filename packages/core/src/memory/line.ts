import type { MemoryProvider } from "@jaf/memory";

/** The last of each line. */
const lines = new WeakMap<MemoryProvider, Map<string, Promise<void>>>();

/** A place in line. */
export interface Place {
  /** Resolves when everybody before has left; absent where nobody is before. */
  readonly first: Promise<void> | undefined;
  readonly leave: () => void;
}

/**
 * The runs of this process that wait for a turn of the same conversation, first come first served. It spares the store
 * their asking, no more: between processes only the store decides.
 */
export function standInLine(provider: MemoryProvider, conversationId: string): Place {
  const line = lines.get(provider) ?? new Map<string, Promise<void>>();
  lines.set(provider, line);
  const first = line.get(conversationId);
  let leave!: () => void;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = first === undefined ? left : first.then(() => left);
  line.set(conversationId, last);
  void last.then(() => {
    if (line.get(conversationId) === last) line.delete(conversationId);
  });
  return { first, leave };
}
