import { asUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { ownWords } from "./own-words.ts";

/**
 * The same memory, which learns of what a user says only their own words: neither what they tell of a page or of somebody else,
 * nor a secret. What is left out doesn't reach its queue.
 */
export function rememberingOwnWords(store: UserMemoryStore): UserMemoryStore {
  const { queue } = store;
  return asUserMemory({
    ...asUserMemory(store),
    queue: {
      durable: queue.durable,
      enqueue: (job, options) => queue.enqueue({ ...job, said: job.said.map(ownWords) }, options),
      lease: (options) => queue.lease(options),
      size: () => queue.size(),
    },
  });
}
