import type { MemoryProvider } from "@jaf/memory";

/** By conversation: resolves when the last of the queue has left. */
const queues = new WeakMap<MemoryProvider, Map<string, Promise<void>>>();

/** A position in the queue. */
export interface QueuePosition {
  /** Resolves when all runs ahead have left. Absent: the run is first. */
  readonly ready: Promise<void> | undefined;
  readonly leave: () => void;
}

/**
 * Appends a run to the queue of this process's runs that wait for a turn of the same conversation, first come, first served.
 * Only the first asks the store. Between processes the store alone decides.
 */
export function enqueue(provider: MemoryProvider, conversationId: string): QueuePosition {
  const queue = queues.get(provider) ?? new Map<string, Promise<void>>();
  queues.set(provider, queue);
  const ready = queue.get(conversationId);
  let leave!: () => void;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = ready === undefined ? left : ready.then(() => left);
  queue.set(conversationId, last);
  void last.then(() => {
    if (queue.get(conversationId) === last) queue.delete(conversationId);
  });
  return { ready, leave };
}
