import { type ConversationMemory, createInMemoryInbox } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/internal";
import { expect, test } from "vitest";
import { openInboxWrites } from "../../src/stored/inbox-writes.ts";

test("positions that an edit gives to other messages no longer count as taken, once anything is stored", async () => {
  const writes = openInboxWrites(createInMemoryInbox(), { conversationId: "c", signal: undefined });
  const edited = {
    messages: [{ role: "user", content: "Hi" }],
    metadata: {
      nextPosition: 1,
      jafInbox: {
        format: 1,
        readUpTo: "e:1",
        taken: [
          [0, 1],
          [1, 2],
        ],
      },
    },
  };
  writes.loaded(edited as unknown as ConversationMemory);
  const stored: unknown[] = [];
  const write = async (metadata: unknown) => {
    stored.push(metadata);
    return createSuccess(undefined);
  };
  await writes.storing(write);
  await writes.storing(write);
  expect(stored).toEqual([{ jafInbox: { format: 1, readUpTo: "e:1", taken: [[0, 1]] } }, undefined]);
});
