import { describeTurnQueueConformance } from "@jaf/memory/testing";
import { createTestQueue, openers } from "./support/queues.ts";

for (const [name, open] of Object.entries(openers))
  describeTurnQueueConformance({ name: `bullmq, ${name}`, createQueue: () => createTestQueue(open) });
