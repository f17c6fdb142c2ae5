import { describeTurnQueueConformance } from "@jaf/memory/testing";
import { afterAll, inject } from "vitest";
import { dropSchemas, freshSchema } from "./support/stores.ts";
import { createTestQueues } from "./support/test-queues.ts";

const schema = freshSchema();

afterAll(() => dropSchemas([schema]));

describeTurnQueueConformance({
  name: "pg-boss, a connection string",
  createQueue: createTestQueues({ schema, connect: () => ({ connectionString: inject("pgUrl") }) }),
});
