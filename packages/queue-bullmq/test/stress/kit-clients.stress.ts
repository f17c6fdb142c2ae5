import { describeTurnQueueConformance } from "@jaf/memory/testing";
import { createTestQueue, openers } from "../support/queues.ts";

const { url: _, ...clients } = openers;

for (const [name, open] of Object.entries(clients))
  describeTurnQueueConformance({ name: `bullmq, ${name}`, createQueue: () => createTestQueue(open) });
