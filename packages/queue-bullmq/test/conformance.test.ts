import { describeTurnQueueConformance } from "@jaf/memory/testing";
import { createTestQueue, openers } from "./support/queues.ts";

// The stress tests check the other connections.
describeTurnQueueConformance({ name: "bullmq, a URL", createQueue: () => createTestQueue(openers.url) });
