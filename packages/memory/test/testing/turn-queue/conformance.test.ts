import { describeTurnQueueConformance } from "../../../src/testing/index.ts";
import { createInMemoryTurnQueue, createTurnQueueStorage } from "./in-memory.ts";

describeTurnQueueConformance({
  name: "in-memory",
  createQueue: async () => {
    const storage = createTurnQueueStorage();
    const [queue, other] = [createInMemoryTurnQueue(storage), createInMemoryTurnQueue(storage)];
    const dispose = async () => {
      await Promise.all([queue.close(), other.close()]);
    };
    return { queue, connect: async () => other, dispose };
  },
});
