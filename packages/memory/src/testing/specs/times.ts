import { expect } from "vitest";
import type { ReadOptions, VersionedMemoryProvider } from "../../versioned-provider.ts";
import { expectOk, read, readConversation } from "../expectations.ts";
import { users } from "../messages.ts";
import { defineSpec } from "../spec.ts";
import { nextInstant } from "../time.ts";
import { append } from "../writes.ts";

/** More than a read takes, and less than anybody's lease. */
export const NEAR_MS = 1_000;

const selections: readonly ReadOptions[] = [
  {},
  ...(["all", "none", { limit: 1 }, { after: 0 }, { messageId: "a" }] as const).map((messages) => ({
    messages,
  })),
  { messages: "none", receiptFor: "k" },
  { userId: "u" },
];

/** When it was read, in milliseconds since 1970. */
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
    why: "Leases are measured by it: by another clock, a process that died an hour ahead locks its conversation for an hour.",
    hint: "read() gives `readAt` where `asksTime` is true: the store's own time, asked for in the same step.",
  },
  {
    "is near that of a write just made, whatever is selected": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), { userId: "u" }, { messageIds: ["a", "b"] }));
      const { lastActivity } = (await readConversation(provider, "c")).metadata;
      for (const options of selections) {
        const offMs = (await timeOf(provider, options)) - lastActivity.getTime();
        expect(Math.abs(offMs), JSON.stringify(options)).toBeLessThan(NEAR_MS);
      }
    },

    "is returned where nothing is": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1")));
      const { lastActivity } = (await readConversation(provider, "c")).metadata;
      for (const options of selections) {
        const offMs = (await timeOf(provider, options, "elsewhere")) - lastActivity.getTime();
        expect(Math.abs(offMs), JSON.stringify(options)).toBeLessThan(NEAR_MS);
      }
    },

    "goes on from reading to reading, also while nothing is written": async ({ provider }) => {
      for (const write of [undefined, () => append(provider, "c", users("1"))]) {
        if (write !== undefined) expectOk(await write());
        const first = await timeOf(provider, { messages: "none" });
        await nextInstant();
        const second = await timeOf(provider, { messages: "none" });
        expect(second).toBeGreaterThan(first);
        expect(second - first).toBeLessThan(NEAR_MS);
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
