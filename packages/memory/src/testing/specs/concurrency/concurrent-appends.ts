import { expect } from "vitest";
import type { Message } from "../../../contract/message.ts";
import type { WriteOptions } from "../../../contract/provider.ts";
import { contents, expectError, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, users, writes } from "../../fixtures/messages.ts";
import { atOnce } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

const WRITERS = 32;
const APPENDS = 20;

type Provider = Scenario["provider"];
type Append = (provider: Provider, messages: readonly Message[], options: WriteOptions) => Promise<void>;

/**
 * Lets several writers append numbered batches of `size` messages to one conversation. Expects that every batch is
 * stored whole, and each writer's batches in the order in which the writer appended them.
 */
async function expectNothingLost(scenario: Scenario, size: number, append: Append): Promise<void> {
  const batchOf = (writer: number, batch: number): readonly string[] =>
    Array.from({ length: size }, (_, part) => `${writer}/${batch}/${part}`);
  await atOnce(scenario, WRITERS, async (provider, writer) => {
    for (let batch = 0; batch < APPENDS; batch++) {
      await append(provider, users(...batchOf(writer, batch)), { idempotencyKey: `${writer}/${batch}` });
    }
  });
  const { messages, metadata } = await readConversation(scenario.provider, "c");
  const total = WRITERS * APPENDS * size;
  expect(metadata).toMatchObject({
    version: WRITERS * APPENDS,
    totalMessages: total,
    nextPosition: total,
  });
  const stored = contents(messages);
  const batches = new Array<number>(WRITERS).fill(0);
  for (let at = 0; at < stored.length; at += size) {
    const writer = Number(stored[at]?.split("/")[0]);
    const batch = batches[writer] ?? -1;
    expect(stored.slice(at, at + size), "a batch lies whole and in its writer's order").toEqual(
      batchOf(writer, batch),
    );
    batches[writer] = batch + 1;
  }
  expect(batches).toEqual(batches.map(() => APPENDS));
}

/**
 * Lets 16 writers write at the same time with the same `expectedVersion`, to a new conversation and to an existing one.
 * Expects that for each conversation exactly one write succeeds.
 */
async function expectOneWinner(
  scenario: Scenario,
  method: "appendMessages" | "storeMessages",
): Promise<void> {
  const earlier = ["1", "2", "3"];
  for (const [id, texts] of Object.entries({ new: [], old: earlier })) {
    const expectedVersion = texts.length === 0 ? 0 : 1;
    if (expectedVersion > 0) expectOk(await scenario.provider.storeMessages(id, users(...texts)));
    const results = await atOnce(scenario, 16, (provider, writer) =>
      writes[method](provider, id, users(`${writer}`, "end"), {}, { expectedVersion }),
    );
    const refused = results.filter(({ success }) => !success);
    expect(refused).toHaveLength(15);
    for (const result of refused) {
      const error = expectError(result, "MemoryConflictError");
      expect(error).toMatchObject({ reason: "version", actualVersion: expectedVersion + 1 });
    }
    const { messages, metadata } = await readConversation(scenario.provider, id);
    expect(metadata["version"]).toBe(expectedVersion + 1);
    const winner = results.findIndex(({ success }) => success);
    const kept = method === "appendMessages" ? texts : [];
    expect(contents(messages)).toEqual([...kept, `${winner}`, "end"]);
  }
}

export const concurrency = defineSpec(
  {
    level: "concurrency",
    subject: "concurrent appends",
    why: "Two workers or tabs often write at the same time: a turn of a user's conversation is lost or doubled.",
    hint: "write(): read, decide and write in one atomic step: a lock, a transaction or a script.",
  },
  {
    "keep all 640 batches of 32 writers whole and in order": (scenario) =>
      expectNothingLost(scenario, 2, async (provider, messages) => {
        expectOk(await append(provider, "c", messages));
      }),

    "keep all 640 single messages of 32 writers": (scenario) =>
      expectNothingLost(scenario, 1, async (provider, messages) => {
        expectOk(await append(provider, "c", messages));
      }),

    "keep each batch once if it is sent twice at the same time and again later": (scenario) =>
      expectNothingLost(scenario, 2, async (provider, messages, options) => {
        const send = () => append(provider, "c", messages, {}, options);
        for (const sent of await Promise.all([send(), send()])) expectOk(sent);
        expectOk(await send());
      }),

    "create one conversation together": async (scenario) => {
      await atOnce(scenario, 16, async (provider, writer) => {
        expectOk(await append(provider, "c", users(`${writer}`), { userId: "u", [`w${writer}`]: writer }));
      });
      const { messages, metadata } = await readConversation(scenario.provider, "c");
      expect(new Set(contents(messages))).toEqual(
        new Set(Array.from({ length: 16 }, (_, writer) => `${writer}`)),
      );
      expect(metadata).toMatchObject({ version: 16, totalMessages: 16 });
      for (let writer = 0; writer < 16; writer++) expect(metadata[`w${writer}`]).toBe(writer);
      expect(expectOk(await scenario.provider.getStats("u")).totalConversations).toBe(1);
    },

    "let exactly one of 16 writes with the same expected version pass": (scenario) =>
      expectOneWinner(scenario, "appendMessages"),

    "let exactly one of 16 replacements with the same expected version pass": (scenario) =>
      expectOneWinner(scenario, "storeMessages"),

    "give a conversation to one of several owners who claim it": async (scenario) => {
      const claim = (provider: Provider, writer: number) =>
        append(provider, "c", users(`user-${writer}`), { userId: `user-${writer}` });
      const results = await atOnce(scenario, 8, claim);
      const winner = results.findIndex(({ success }) => success);
      const conversation = await readConversation(scenario.provider, "c");
      expect(conversation).toMatchObject({ userId: `user-${winner}`, messages: users(`user-${winner}`) });
      for (const [writer, result] of results.entries()) {
        if (writer === winner) continue;
        expect(expectError(result, "MemoryConflictError").reason).toBe("owner");
        const found = await scenario.provider.findConversations({ userId: `user-${writer}` });
        expect(expectOk(found)).toEqual([]);
      }
    },

    "keep the limit of messages": async (scenario) => {
      await atOnce(scenario, 24, async (provider, writer) => {
        const batch = users(`${writer}/0`, `${writer}/1`);
        expectOk(await append(provider, "c", batch, {}, { maxMessages: 6 }));
      });
      const { messages, metadata } = await readConversation(scenario.provider, "c");
      expect(metadata).toMatchObject({ version: 24, totalMessages: 6, nextPosition: 48 });
      expect(messages).toHaveLength(6);
      for (const at of [0, 2, 4]) {
        const writer = contents(messages)[at]?.split("/")[0];
        expect(contents(messages).slice(at, at + 2)).toEqual([`${writer}/0`, `${writer}/1`]);
      }
    },
  },
);
