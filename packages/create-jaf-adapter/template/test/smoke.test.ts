import { describeMemoryProvider } from "@jaf/memory/testing";
import { harness } from "./harness.ts";

// About forty rules, which use each function and each option once. The whole kit runs once they pass.
describeMemoryProvider({ ...harness, rules: "smoke" });
