import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { defineUserMemory } from "../../src/define-user-memory.ts";
import { createInMemoryBackend } from "../../src/in-memory/backend.ts";

const long = { timeoutMs: 240_000, seeds: [11, 12, 13] };

describeUserMemoryBackend(
  "in-memory, at length",
  async () => {
    const backend = createInMemoryBackend();
    return { backend, close: () => backend.close() };
  },
  { ...long, operations: 4_000 },
);

describeUserMemory(
  "in-memory, at length",
  async () => {
    const backend = createInMemoryBackend();
    const memory = defineUserMemory(backend);
    return { memory, backend, close: () => memory.close() };
  },
  { ...long, operations: 10_000 },
);
