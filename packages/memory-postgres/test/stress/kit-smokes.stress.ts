import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectClient, createSchemas } from "../support/stores.ts";

// The whole kit runs on a pool.
describeMemoryProvider({ name: "postgres, one client", rules: "smoke", ...createSchemas(connectClient) });
