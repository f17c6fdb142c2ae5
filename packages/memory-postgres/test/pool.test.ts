import { describeMemoryProvider } from "@jaf/memory/testing";
import { connectPool, createSchemas } from "./support/stores.ts";

describeMemoryProvider({ name: "postgres, pool", ...createSchemas(connectPool) });
