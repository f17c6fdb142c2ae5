import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectClient, connectPool, createSchemas } from "../support/stores.ts";

// The whole kit runs on a pool. These runs have another client or another layout of the rows.
describeMemoryProvider({ name: "postgres, one client", rules: "smoke", ...createSchemas(connectClient) });

describeMemoryProvider({
  name: "postgres, 4 partitions",
  rules: "smoke",
  ...createSchemas((schema) => connectPool(schema, { partitions: 4 })),
});
