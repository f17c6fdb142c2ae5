import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { createInMemoryBackend } from "../src/in-memory/backend.ts";

describeUserMemoryBackend("in-memory", async () => {
  const backend = createInMemoryBackend();
  return { backend, close: () => backend.close() };
});
