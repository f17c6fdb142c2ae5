import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { defineUserMemory } from "../src/define-user-memory.ts";
import { createInMemoryBackend } from "../src/in-memory/backend.ts";

describeUserMemoryBackend("in-memory", async () => {
  const backend = createInMemoryBackend();
  return { backend, close: () => backend.close() };
});

describeUserMemory("in-memory", async () => {
  const backend = createInMemoryBackend();
  const memory = defineUserMemory(backend);
  return { memory, backend, close: () => memory.close() };
});
