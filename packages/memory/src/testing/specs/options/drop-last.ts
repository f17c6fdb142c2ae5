import { expect } from "vitest";
import {
  contents,
  expectAbsent,
  expectConflict,
  expectError,
  expectOk,
  read,
  readConversation,
} from "../../fixtures/expectations.ts";
import { answering, append, calling, user, users } from "../../fixtures/messages.ts";
import { forEachConcurrently } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

const SIZES = [0, 1, 2, 3, 4];
const BATCHES = [0, 1, 2];

const texts = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

interface Case {
  readonly size: number;
  readonly dropLast: number;
  readonly batch: number;
}

/** All combinations of some numbers of stored, dropped and added messages. */
const cases: readonly Case[] = SIZES.flatMap((size) =>
  // In some cases, one message more is dropped than is stored. A store must refuse these.
  [...SIZES.filter((dropLast) => dropLast <= size), size + 1].flatMap((dropLast) =>
    BATCHES.map((batch) => ({ size, dropLast, batch })),
  ),
);

async function expectDropped({ provider }: Scenario, { size, dropLast, batch }: Case): Promise<void> {
  const id = `${size}-${dropLast}-${batch}`;
  const stored = texts("stored ", size);
  expectOk(await provider.storeMessages(id, users(...stored)));
  const written = await provider.appendMessages(id, users(...texts("new ", batch)), {}, { dropLast });
  const { messages, metadata } = await readConversation(provider, id);
  if (dropLast > size) {
    expectConflict(written, "length");
    expect([contents(messages), metadata.version, metadata.nextPosition], id).toEqual([stored, 1, size]);
    return;
  }
  expectOk(written);
  const kept = [...stored.slice(0, size - dropLast), ...texts("new ", batch)];
  expect(contents(messages), id).toEqual(kept);
  const version = dropLast + batch > 0 ? 2 : 1;
  expect(metadata, id).toMatchObject({ version, totalMessages: kept.length, nextPosition: kept.length });
  expect(contents(expectOk(await provider.getRecentMessages(id, 2))), id).toEqual(kept.slice(-2));
}

export const dropLast = defineSpec(
  {
    level: "contract",
    subject: "options.dropLast",
    why: "Taking back or replacing the last turn leaves a piece of it, removes more, or loses messages that arrived meanwhile.",
    hint: "write(): drop by position, from the end, in the step that appends and before the append; the batch takes the positions.",
  },
  {
    "drops this many from the end, and adds the batch in their place": (scenario) =>
      forEachConcurrently(cases, (example) => expectDropped(scenario, example)),

    "gives their positions to the batch": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3", "4")));
      expectOk(await provider.appendMessages("c", [], {}, { maxMessages: 3 }));
      expectOk(await provider.appendMessages("c", users("5"), {}, { dropLast: 2 }));
      const reading = await read(provider, { messages: { after: 1 } });
      expect(contents(reading.conversation?.messages ?? [])).toEqual(["5"]);
      expect(reading).toMatchObject({ firstPosition: 2, conversation: { metadata: { nextPosition: 3 } } });
      expectOk(await provider.appendMessages("c", users("6")));
      expect((await read(provider)).firstPosition).toBe(1);
      expect((await readConversation(provider, "c")).messages).toEqual(users("2", "5", "6"));
    },

    "drops the last messages repeatedly, until none are left": async ({ provider }) => {
      expectOk(await append(provider, "c", users(...texts("", 6)), { userId: "u", topic: "t" }));
      for (let left = 5; left >= 0; left--) {
        expectOk(await provider.appendMessages("c", [], {}, { dropLast: 1 }));
        const { messages, metadata } = await readConversation(provider, "c");
        expect(contents(messages)).toEqual(texts("", left));
        expect(metadata).toMatchObject({ version: 7 - left, totalMessages: left, nextPosition: left });
        expect(expectOk(await provider.getStats("u")).totalMessages).toBe(left);
      }
      expectConflict(await provider.appendMessages("c", [], {}, { dropLast: 1 }), "length");
      expectOk(await provider.appendMessages("c", users("again"), {}, { dropLast: 0 }));
      const { userId, messages, metadata } = await readConversation(provider, "c");
      expect({ userId, messages, topic: metadata["topic"] }).toEqual({
        userId: "u",
        messages: users("again"),
        topic: "t",
      });
    },

    "counts only stored messages": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3", "4"), {}, { maxMessages: 2 }));
      expectConflict(await provider.appendMessages("c", users("x"), {}, { dropLast: 3 }), "length");
      expectOk(await provider.storeMessages("c", users("5")));
      expectConflict(await provider.appendMessages("c", users("x"), {}, { dropLast: 2 }), "length");
      expectOk(await provider.appendMessages("c", users("6"), {}, { dropLast: 1 }));
      const { messages, metadata } = await readConversation(provider, "c");
      expect(messages).toEqual(users("6"));
      expect(metadata).toMatchObject({ nextPosition: 5, totalMessages: 1 });
    },

    "happens before the trim": async ({ provider }) => {
      const group = [user("ask"), calling("a", "b"), answering("a"), answering("b")];
      expectOk(await append(provider, "c", group));
      const options = { dropLast: 1, maxMessages: 2 };
      expectOk(await provider.appendMessages("c", [answering("c")], {}, options));
      const kept = [calling("a", "b"), answering("a"), answering("c")];
      expect((await readConversation(provider, "c")).messages).toEqual(kept);
      expectOk(await provider.appendMessages("c", users("next"), {}, options));
      expect((await readConversation(provider, "c")).messages).toEqual(users("next"));
    },

    "is refused completely if there are fewer": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { topic: "old" }));
      const before = await readConversation(provider, "c");
      const options = { dropLast: 2, idempotencyKey: "k", maxMessages: 1, ttlSeconds: 1 };
      const metadata = { topic: "new", traceId: "t" };
      const error = expectConflict(
        await provider.appendMessages("c", users("x"), metadata, options),
        "length",
      );
      expect(error.operation).toBe("appendMessages");
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toEqual([]);
      expectOk(await provider.appendMessages("c", users("2"), {}, { idempotencyKey: "k" }));
    },

    "finds nothing to drop in a missing conversation": async ({ provider }) => {
      const missing = await provider.appendMessages("c", users("1"), {}, { dropLast: 1 });
      expectError(missing, "MemoryNotFoundError");
      expectConflict(await append(provider, "c", users("1"), {}, { dropLast: 1 }), "length");
      await expectAbsent(provider, "c");
      expectOk(await append(provider, "c", users("1"), {}, { dropLast: 0 }));
    },
  },
);
