import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

const long = { timeoutMs: 240_000, seeds: [11, 12, 13] };

describeUserMemoryBackend(
  "in-memory, at length",
  async () => {
    const backend = createInMemoryUserMemoryBackend();
    return { backend, close: () => backend.close() };
  },
  { ...long, operations: 4_000 },
);

describeUserMemory(
  "in-memory, at length",
  async () => {
    const backend = createInMemoryUserMemoryBackend();
    const memory = defineUserMemory(backend);
    return { memory, backend, close: () => memory.close() };
  },
  { ...long, operations: 10_000 },
);
