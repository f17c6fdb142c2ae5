import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectPool, createSchemas } from "../support/stores.ts";

describeMemoryProvider({
  name: "postgres, 4 partitions",
  ...createSchemas((schema) => connectPool(schema, { partitions: 4 })),
});
