import { expect } from "vitest";
import type { Message } from "../../../contract/message.ts";
import type {
  MessageRange,
  ReadOptions,
  VersionedMemoryProvider,
} from "../../../contract/versioned-provider.ts";
import { present } from "../../../runtime/objects.ts";
import { contents, expectInvalid, expectOk, read, readConversation } from "../../fixtures/expectations.ts";
import { append, hostile, users } from "../../fixtures/messages.ts";
import { forEachConcurrently, nextInstant } from "../../fixtures/timing.ts";
import { defineSpec, inputLimits } from "../../kit/spec.ts";

/** Functions that store conversations with different first and last positions. */
const histories: Readonly<Record<string, (provider: VersionedMemoryProvider) => Promise<void>>> = {
  "of a whole conversation": async (provider) => {
    expectOk(await append(provider, "c", users("0", "1", "2", "3")));
    expectOk(await provider.appendMessages("c", users("4", "5", "6")));
  },
  "of a conversation that was trimmed": async (provider) => {
    expectOk(await append(provider, "c", users("0", "1", "2", "3", "4")));
    expectOk(await provider.appendMessages("c", users("5", "6"), {}, { maxMessages: 4 }));
  },
  "of a conversation with a dropped and replaced end": async (provider) => {
    expectOk(await append(provider, "c", users("0", "1", "2", "x", "y", "z")));
    expectOk(await provider.appendMessages("c", users("3", "4"), {}, { dropLast: 3, maxMessages: 3 }));
    expectOk(await provider.appendMessages("c", users("5")));
  },
  "of a conversation that was replaced": async (provider) => {
    expectOk(await append(provider, "c", users("x", "y", "z")));
    expectOk(await provider.storeMessages("c", users("3", "4", "5")));
  },
  "of an empty conversation": async (provider) => {
    expectOk(await append(provider, "c", users("0", "1")));
    expectOk(await provider.storeMessages("c", []));
  },
};

const AFTER = [undefined, -1, 2, 3, 6, 50];
const BEFORE = [undefined, 0, 3, 5, 7, 50];
const LIMITS = [undefined, 0, 2, 50];

/** All combinations of some values of `after`, `before` and `limit`, inside and outside the conversation. */
const ranges: readonly MessageRange[] = AFTER.flatMap((after) =>
  BEFORE.flatMap((before) => LIMITS.map((limit) => present({ after, before, limit }))),
);

interface Positioned {
  readonly position: number;
  readonly message: Message;
}

/**
 * Returns the messages that a range selects: with `after`, the first `limit` ones in the range; otherwise the last
 * `limit` ones.
 */
function select(stored: readonly Positioned[], range: MessageRange): readonly Positioned[] {
  const { after = -1, before = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = range;
  const within = stored.filter(({ position }) => position > after && position < before);
  return range.after === undefined
    ? within.slice(Math.max(0, within.length - limit))
    : within.slice(0, limit);
}

async function expectRanges(provider: VersionedMemoryProvider): Promise<void> {
  const { messages, metadata } = await readConversation(provider, "c");
  const { nextPosition = -1 } = metadata;
  const first = nextPosition - messages.length;
  const stored = messages.map((message, index) => ({ message, position: first + index }));
  for (const { position, message } of stored) expect(message.content, "its position").toBe(`${position}`);
  await forEachConcurrently(ranges, async (range) => {
    const { conversation, firstPosition } = await read(provider, { messages: range });
    const selected = select(stored, range);
    const name = JSON.stringify(range);
    expect(conversation?.messages, name).toEqual(selected.map(({ message }) => message));
    expect(firstPosition, `${name}: the position of the first`).toBe(selected[0]?.position ?? nextPosition);
    expect(conversation?.metadata, name).toEqual(metadata);
  });
}

export const readings = defineSpec(
  {
    level: "contract",
    subject: "readConversation",
    why: "A reader of a long conversation sees a message twice or never while paging.",
    hint: "read(): by position, `after` and `before` exclusive; `limit` counts from `after`, if given, else from the end.",
  },
  {
    ...Object.fromEntries(
      Object.entries(histories).map(([title, make]) => [
        `returns every range ${title}`,
        async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
          await make(provider);
          await expectRanges(provider);
        },
      ]),
    ),

    "returns the whole conversation by default": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u", topic: "t" }));
      const conversation = await readConversation(provider, "c");
      const { incarnation } = conversation.metadata;
      const whole = { conversation, incarnation, firstPosition: 0, readAt: expect.any(Date) };
      for (const options of [undefined, {}, { messages: "all" }] as const) {
        expect(await read(provider, options)).toEqual(whole);
      }
      expect(await read(provider, { userId: "another's" }), "with any owner").toEqual(whole);
    },

    "counts without reading a message": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u" }, { maxMessages: 2 }));
      const { conversation, firstPosition } = await read(provider, { messages: "none" });
      expect(conversation?.messages).toEqual([]);
      expect(conversation?.metadata).toEqual((await readConversation(provider, "c")).metadata);
      expect(conversation?.metadata).toMatchObject({ totalMessages: 2, nextPosition: 3 });
      expect(firstPosition).toBe(3);
    },

    "returns null and the expectations of a write for a missing conversation": async ({ provider }) => {
      for (const messages of ["all", "none", { limit: 2 }, { after: 3 }, { messageId: "m" }] as const) {
        const reading = await read(provider, { messages, receiptFor: "k", userId: "u" });
        expect(reading).toEqual({
          ...{ conversation: null, incarnation: expect.any(String), firstPosition: 0 },
          readAt: expect.any(Date),
        });
      }
      expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
    },

    "returns a conversation only to its owner if it is asked for": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u" }));
      expectOk(await append(provider, "unowned", users("1")));
      const missing = { conversation: null, firstPosition: 0 };
      for (const messages of ["all", "none", { limit: 2 }, { after: 0 }, { before: 2, limit: 1 }] as const) {
        const own = await read(provider, { messages, owner: "u" });
        expect({ ...own, readAt: undefined }).toEqual({
          ...(await read(provider, { messages })),
          readAt: undefined,
        });
        for (const owner of ["another's", "u ", "U"]) {
          const foreign = await read(provider, { messages, owner, receiptFor: "k" });
          expect(foreign).toEqual({
            ...{ ...missing, incarnation: expect.stringMatching(/^none:/), readAt: expect.any(Date) },
          });
        }
      }
      const unowned = await provider.readConversation("unowned", { owner: "u" });
      expect(expectOk(unowned)).toMatchObject(missing);
    },

    "doesn't show an owner whether another's conversation exists": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { userId: "u" }));
      const asked = { owner: "v", userId: "v", receiptFor: "k" } as const;
      const [foreign, unknown] = [
        expectOk(await provider.readConversation("c", asked)),
        expectOk(await provider.readConversation("no such", asked)),
      ];
      expect({ ...foreign, readAt: undefined }).toEqual({ ...unknown, readAt: undefined });
    },

    "pages back to the first message, returning each message once": async ({ provider }) => {
      const texts = Array.from({ length: 23 }, (_, index) => `${index}`);
      expectOk(await append(provider, "c", users("x", "y", ...texts)));
      expectOk(await provider.appendMessages("c", [], {}, { maxMessages: texts.length }));
      const seen: string[] = [];
      let before: number | undefined;
      do {
        const messages = { limit: 4, ...present({ before }) };
        const page = await read(provider, { messages });
        if (page.conversation?.messages.length === 0) break;
        seen.unshift(...contents(page.conversation?.messages ?? []));
        before = page.firstPosition;
      } while (seen.length <= texts.length);
      expect(seen).toEqual(texts);
    },
  },
);

export const readingLimits = defineSpec(inputLimits("readConversation"), {
  "accepts positions beyond both ends": async ({ provider }) => {
    expectOk(await append(provider, "c", users("1", "2")));
    const huge = Number.MAX_SAFE_INTEGER;
    for (const messages of [
      { after: -1, limit: huge },
      { before: huge, limit: huge },
      { after: -1, before: huge },
    ]) {
      expect((await read(provider, { messages })).conversation?.messages).toEqual(users("1", "2"));
    }
    expect((await read(provider, { messages: { after: huge } })).conversation?.messages).toEqual([]);
  },

  "refuses invalid ranges": async ({ provider }) => {
    const path = "options.messages";
    for (const value of [-2, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, {}, 1n]) {
      for (const field of ["after", "before", "limit"]) {
        const options = { messages: hostile({ [field]: value }) };
        await expectInvalid(() => provider.readConversation("c", options), `${path}.${field}`);
      }
    }
    for (const value of [null, "some", 5, [], () => ({})]) {
      await expectInvalid(() => provider.readConversation("c", { messages: hostile(value) }), path);
    }
    const misspelt = { messages: hostile({ from: 1 }) };
    await expectInvalid(() => provider.readConversation("c", misspelt), `${path}.from`);
    const both = { messages: hostile({ messageId: "m", limit: 1 }) };
    await expectInvalid(() => provider.readConversation("c", both), `${path}.limit`);
  },

  "refuses invalid and misspelt options": async ({ provider }) => {
    for (const value of [null, "all", 5, []]) {
      await expectInvalid(() => provider.readConversation("c", hostile(value)));
    }
    await expectInvalid(() => provider.readConversation("c", hostile({ userID: "u" })), "options.userID");
  },
});

// `NEAR_MS` is shorter than a lease, so a test notices a difference that would make a lease wrong.
/** How far apart two times that a store's clock gave may be, in milliseconds. */
const NEAR_MS = 1_000;

// The milliseconds since `startedAt` are added, because the machine may be busy.
/**
 * Returns how far apart two times that a store's clock gave may be, in milliseconds. Both times must have been
 * requested after `startedAt`, a value of `performance.now()`.
 */
export const nearMs = (startedAt: number): number => NEAR_MS + performance.now() - startedAt;

const selections: readonly ReadOptions[] = [
  {},
  ...(["all", "none", { limit: 1 }, { after: 0 }, { messageId: "a" }] as const).map((messages) => ({
    messages,
  })),
  { messages: "none", receiptFor: "k" },
  { userId: "u" },
];

/** Reads a conversation and returns `readAt`, the time of the read, in milliseconds since 1970. */
export async function timeOf(
  provider: VersionedMemoryProvider,
  options: ReadOptions = {},
  conversationId = "c",
): Promise<number> {
  const { readAt } = await read(provider, options, conversationId);
  expect(readAt, "when it was read").toBeInstanceOf(Date);
  return readAt.getTime();
}

export const times = defineSpec(
  {
    level: "contract",
    subject: "the time of a reading",
    why: "Leases are measured by it. With another clock, a process that died with its clock an hour ahead locks its conversation for an hour.",
    hint: "read() returns `readAt` if `asksTime` is true: the store's own time, read in the same step.",
  },
  {
    "is close to that of a recent write, for any selection": async ({ provider }) => {
      const startedAt = performance.now();
      expectOk(await append(provider, "c", users("1", "2"), { userId: "u" }, { messageIds: ["a", "b"] }));
      const { lastActivity } = (await readConversation(provider, "c")).metadata;
      for (const options of selections) {
        const offMs = (await timeOf(provider, options)) - lastActivity.getTime();
        expect(Math.abs(offMs), JSON.stringify(options)).toBeLessThan(nearMs(startedAt));
      }
    },

    "is returned for a missing conversation": async ({ provider }) => {
      const startedAt = performance.now();
      expectOk(await append(provider, "c", users("1")));
      const { lastActivity } = (await readConversation(provider, "c")).metadata;
      for (const options of selections) {
        const offMs = (await timeOf(provider, options, "elsewhere")) - lastActivity.getTime();
        expect(Math.abs(offMs), JSON.stringify(options)).toBeLessThan(nearMs(startedAt));
      }
    },

    "advances between readings, even without writes": async ({ provider }) => {
      for (const write of [undefined, () => append(provider, "c", users("1"))]) {
        if (write !== undefined) expectOk(await write());
        const startedAt = performance.now();
        const first = await timeOf(provider, { messages: "none" });
        await nextInstant();
        const second = await timeOf(provider, { messages: "none" });
        expect(second).toBeGreaterThan(first);
        expect(second - first).toBeLessThan(nearMs(startedAt));
      }
    },

    "never goes back": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1")));
      let last = 0;
      for (let turn = 0; turn < 10; turn++) {
        for (const options of selections) {
          const time = await timeOf(provider, options);
          expect(time).toBeGreaterThanOrEqual(last);
          last = time;
        }
        expectOk(await provider.appendMessages("c", users(`${turn}`)));
      }
    },
  },
);
