import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { defineUserMemory } from "../src/define-user-memory.ts";
import { createInMemoryUserMemoryBackend } from "../src/in-memory/backend.ts";

describeUserMemoryBackend("in-memory", async () => {
  const backend = createInMemoryUserMemoryBackend();
  return { backend, close: () => backend.close() };
});

describeUserMemory("in-memory", async () => {
  const backend = createInMemoryUserMemoryBackend();
  const memory = defineUserMemory(backend);
  return { memory, backend, close: () => memory.close() };
});
