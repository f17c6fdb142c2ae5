import { describeMemoryProvider } from "@jaf/memory/testing";
import { createStoppableStores } from "../support/stores.ts";

describeMemoryProvider({ name: "redis, node-redis", ...createStoppableStores() });
