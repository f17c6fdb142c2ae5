import { asUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { ownWords } from "./own-words.ts";
import { userStatements } from "./user-statements.ts";

/**
 * The same memory, which learns of what a user says only what they state of themselves: neither what they tell of a page or of
 * somebody else, nor a secret, nor what they only ask for. What is left out doesn't reach its queue.
 */
export function rememberingOwnWords(store: UserMemoryStore): UserMemoryStore {
  const { queue } = store;
  return asUserMemory({
    ...asUserMemory(store),
    queue: {
      durable: queue.durable,
      enqueue: async (job, options) => {
        const isAnswer = job.question !== undefined;
        const said = job.said.map((text) => userStatements(ownWords(text), { isAnswer }));
        return said.every((text) => text === "") ? null : queue.enqueue({ ...job, said }, options);
      },
      lease: (options) => queue.lease(options),
      size: () => queue.size(),
    },
  });
}
