import { describeMemoryProvider } from "@jaf/memory/testing";
import { harness } from "./harness.ts";

describeMemoryProvider(harness);
