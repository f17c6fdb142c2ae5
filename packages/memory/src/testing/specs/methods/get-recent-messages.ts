import { expect } from "vitest";
import { contents, expectInvalid, expectOk } from "../../fixtures/expectations.ts";
import { answering, calling, hostile, user, users } from "../../fixtures/messages.ts";
import { defineSpec, inputLimits, type Scenario } from "../../kit/spec.ts";

const recent = async (provider: Scenario["provider"], limit?: number): Promise<readonly string[]> =>
  contents(expectOk(await provider.getRecentMessages("c", limit)));

export const getRecentMessages = defineSpec(
  {
    level: "contract",
    subject: "getRecentMessages",
    why: "The model sees the wrong end of a conversation.",
    hint: "read() with `last`: the last ones by sequence number, oldest first.",
  },
  {
    "returns the last messages, oldest first": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2", "3")));
      expectOk(await provider.appendMessages("c", users("4", "5")));
      expect(await recent(provider, 1)).toEqual(["5"]);
      expect(await recent(provider, 3)).toEqual(["3", "4", "5"]);
      expect(await recent(provider, 5)).toEqual(["1", "2", "3", "4", "5"]);
    },

    "returns all messages if the limit is higher": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2")));
      expect(await recent(provider, 1_000)).toEqual(["1", "2"]);
      expect(await recent(provider, Number.MAX_SAFE_INTEGER)).toEqual(["1", "2"]);
    },

    "returns 50 by default": async ({ provider }) => {
      const texts = Array.from({ length: 60 }, (_, index) => `${index}`);
      expectOk(await provider.storeMessages("c", users(...texts)));
      expect(await recent(provider)).toEqual(texts.slice(10));
    },

    "returns none for 0": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1")));
      expect(await recent(provider, 0)).toEqual([]);
    },

    "returns [] for a missing or empty conversation": async ({ provider }) => {
      expect(await recent(provider)).toEqual([]);
      expectOk(await provider.storeMessages("c", []));
      expect(await recent(provider)).toEqual([]);
    },

    "follows a replacement and a trim": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1", "2", "3")));
      expectOk(await provider.storeMessages("c", users("4", "5", "6")));
      expect(await recent(provider, 4)).toEqual(["4", "5", "6"]);
      expectOk(await provider.appendMessages("c", users("7"), {}, { maxMessages: 2 }));
      expect(await recent(provider, 4)).toEqual(["6", "7"]);
    },

    "counts messages, and can begin inside a group of tool results": async ({ provider }) => {
      const messages = [user("ask"), calling("a", "b"), answering("a"), answering("b")];
      expectOk(await provider.storeMessages("c", messages));
      expect(expectOk(await provider.getRecentMessages("c", 1))).toEqual([answering("b")]);
      expect(expectOk(await provider.getRecentMessages("c", 3))).toEqual(messages.slice(1));
    },
  },
);

export const recentLimits = defineSpec(inputLimits("getRecentMessages"), {
  "refuses a limit that isn't a whole number from 0": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users("1")));
    for (const limit of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null, {}, 1n]) {
      await expectInvalid(() => provider.getRecentMessages("c", hostile(limit)), "limit");
    }
  },
});
