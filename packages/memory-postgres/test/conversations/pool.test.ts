import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectThroughProxy, createSchemas } from "../support/stores.ts";

describeMemoryProvider({ name: "postgres, pool", ...createSchemas(connectThroughProxy) });
