import { createCheckpointSaver } from "@jaf/langgraph";
import type { MemoryProvider } from "@jaf/memory";
import { afterAll, beforeAll } from "vitest";
import { validateSaver } from "../../packages/langgraph/test/support/validation.ts";
import { openStore } from "./support/langgraph/address.ts";
import { addresses } from "./support/langgraph/backends.ts";

for (const [name, create] of addresses) {
  const address = create();
  let provider: MemoryProvider;
  beforeAll(async () => {
    provider = await openStore(address);
  });
  afterAll(() => provider.close());
  // Each checkpointer has a user of its own, so that it finds no threads of the others.
  await validateSaver(name, async () => {
    const userId = crypto.randomUUID();
    const saver = createCheckpointSaver({ provider, userId });
    return { saver, close: () => provider.clearUserConversations(userId) };
  });
}
