import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectThroughProxy, createSchemas } from "../support/stores.ts";

describeMemoryProvider({
  name: "postgres, pools of two processes",
  ...createSchemas(connectThroughProxy, { processes: true }),
});
