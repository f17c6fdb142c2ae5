import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectClient, createSchemas } from "../support/stores.ts";

describeMemoryProvider({ name: "postgres, one client", ...createSchemas(connectClient) });
