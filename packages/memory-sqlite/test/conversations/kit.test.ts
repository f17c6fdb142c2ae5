import { describeMemoryProvider } from "@jaf/memory/testing";
import { createStore } from "../support/stores.ts";

describeMemoryProvider({ name: "sqlite", createStore });
