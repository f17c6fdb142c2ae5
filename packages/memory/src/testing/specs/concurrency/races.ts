import { expect } from "vitest";
import { contents, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { letOthersRun } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

/**
 * Returns the contents of the messages of the conversation `"c"`, or `undefined` if it doesn't exist. Expects that all
 * reading methods return the same.
 */
async function expectConsistent({ provider }: Scenario): Promise<readonly string[] | undefined> {
  const conversation = expectOk(await provider.getConversation("c"));
  const found = expectOk(await provider.findConversations({}));
  expect(found).toEqual(conversation === null ? [] : [conversation]);
  for (const query of [{ userId: "u" }, { traceId: "t" }, { conversationId: "c" }]) {
    expect(expectOk(await provider.findConversations(query))).toEqual(found);
  }
  expect(expectOk(await provider.getStats("u"))).toMatchObject({
    totalConversations: found.length,
    totalMessages: conversation?.messages.length ?? 0,
  });
  expect(conversation?.metadata?.totalMessages).toBe(conversation?.messages.length);
  return conversation === null ? undefined : contents(conversation.messages);
}

const owned = { userId: "u", traceId: "t" };

export const races = defineSpec(
  {
    level: "concurrency",
    subject: "races",
    why: "Under load, users see half a batch, or deleted data comes back.",
    hint: "Each method works in one atomic step; reads come from one snapshot.",
  },
  {
    "of storeMessages end with one of them, complete": async (scenario) => {
      const { provider } = scenario;
      const other = await scenario.connect();
      const sizes = Array.from({ length: 16 }, (_, writer) => 1 + (writer % 5));
      const writes = sizes.map((size, writer) => {
        const messages = users(...Array.from({ length: size }, (_, part) => `${writer}/${part}`));
        return (writer % 2 === 0 ? provider : other).storeMessages("c", messages, { ...owned, writer });
      });
      for (const written of await Promise.all(writes)) expectOk(written);
      const stored = await expectConsistent(scenario);
      const { metadata } = await readConversation(provider, "c");
      const writer: unknown = metadata["writer"];
      const size = sizes[Number(writer)];
      expect(stored).toEqual(Array.from({ length: size ?? -1 }, (_, part) => `${writer}/${part}`));
      expect(metadata["version"]).toBe(sizes.length);
    },

    "of deletions and appends leave whole batches or nothing": async (scenario) => {
      const { provider } = scenario;
      const other = await scenario.connect();
      for (let round = 0; round < 8; round++) {
        const write = async (writer: number) => {
          for (let count = 0; count < 4; count++) {
            const batch = users(...[0, 1, 2].map((part) => `${writer}/${count}/${part}`));
            expectOk(await append(writer % 2 === 0 ? provider : other, "c", batch, owned));
          }
        };
        const erase = async (connection: Scenario["provider"]) => {
          expectOk(await connection.deleteConversation("c"));
          expectOk(await connection.clearUserConversations("u"));
        };
        await Promise.all([write(0), erase(other), write(1), erase(provider), write(2), write(3)]);
        const stored = (await expectConsistent(scenario)) ?? [];
        for (let at = 0; at < stored.length; at += 3) {
          const start = stored[at]?.replace(/0$/, "");
          expect(stored.slice(at, at + 3)).toEqual([0, 1, 2].map((part) => `${start}${part}`));
        }
        expect(expectOk(await provider.getConversation("c"))?.metadata?.["version"] ?? 0).toBe(
          stored.length / 3,
        );
      }
    },

    "of clearing a user and writing to all of its conversations leave each complete or deleted": async (
      scenario,
    ) => {
      const { provider } = scenario;
      const other = await scenario.connect();
      const ids = Array.from({ length: 12 }, (_, index) => `c-${index}`);
      const write = async (connection: Scenario["provider"], order: readonly string[]) => {
        for (const id of order) expectOk(await append(connection, id, users("1", "2"), owned));
      };
      const clear = async (connection: Scenario["provider"]) => {
        for (let time = 0; time < 4; time++) expectOk(await connection.clearUserConversations("u"));
      };
      await Promise.all([
        write(provider, ids),
        clear(other),
        write(other, ids.toReversed()),
        clear(provider),
      ]);
      const left = expectOk(await provider.findConversations({ userId: "u" }));
      for (const { messages, metadata } of left) {
        expect(contents(messages)).toEqual(messages.length === 2 ? ["1", "2"] : ["1", "2", "1", "2"]);
        expect(metadata?.["version"]).toBe(messages.length / 2);
      }
      expect(expectOk(await provider.findConversations({ traceId: "t" }))).toHaveLength(left.length);
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(left.length);
      expect(expectOk(await provider.getStats())).toEqual({ totalConversations: 0, totalMessages: 0 });
    },

    "of reads and appends show no half batch": async (scenario) => {
      const { provider } = scenario;
      const other = await scenario.connect();
      let writing = true;
      const write = async () => {
        try {
          for (let count = 0; count < 60; count++) {
            const batch = users(`${count}/0`, `${count}/1`, `${count}/2`);
            expectOk(await append(provider, "c", batch, owned));
          }
        } finally {
          writing = false; // Otherwise the readers would never stop.
        }
      };
      const read = async () => {
        let seen: readonly string[] = [];
        while (writing) {
          const conversation = expectOk(await other.getConversation("c"));
          const now = contents(conversation?.messages ?? []);
          expect(now.length % 3).toBe(0);
          expect(now.slice(0, seen.length), "what was read once stays").toEqual(seen);
          expect(conversation?.metadata?.totalMessages ?? 0).toBe(now.length);
          expect(conversation?.metadata?.["version"] ?? 0).toBe(now.length / 3);
          const recent = contents(expectOk(await other.getRecentMessages("c", 3)));
          const count = recent[0]?.split("/")[0];
          expect(recent).toEqual(recent.map((_, part) => `${count}/${part}`));
          seen = now;
          // Let other tasks run. If the store is in this process and its reads never wait, the reads would otherwise
          // block the writes.
          await letOthersRun();
        }
      };
      await Promise.all([write(), read(), read()]);
      expect(await expectConsistent(scenario)).toHaveLength(180);
    },

    "of one key with two bodies store one body": async (scenario) => {
      const connections = [scenario.provider, await scenario.connect()];
      for (let round = 0; round < 10; round++) {
        const id = `c-${round}`;
        const results = await Promise.all(
          connections.map((provider, index) =>
            append(provider, id, users(`body ${index}`), {}, { idempotencyKey: "k" }),
          ),
        );
        expect(results.filter(({ success }) => success)).toHaveLength(1);
        const winner = results.findIndex(({ success }) => success);
        expect((await readConversation(scenario.provider, id)).messages).toEqual(users(`body ${winner}`));
      }
    },
  },
);
