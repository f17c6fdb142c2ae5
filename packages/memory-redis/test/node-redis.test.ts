import { describeMemoryProvider } from "@jaf/memory/testing";
import { createStoppableStore } from "./support/stores.ts";

describeMemoryProvider({ name: "redis, node-redis", createStore: createStoppableStore });
