import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { createInMemoryUserMemoryBackend, openInMemory } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

describeUserMemoryBackend("in-memory", async () => {
  const backend = createInMemoryUserMemoryBackend();
  return { backend, close: () => backend.close() };
});

describeUserMemory("in-memory", async () => {
  const { backend, contents } = openInMemory();
  const memory = defineUserMemory(backend);
  const dump = async () => JSON.stringify(contents());
  return { memory, backend, dump, close: () => memory.close() };
});
