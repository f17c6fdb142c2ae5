import { expect } from "vitest";
import {
  contents,
  expectConflict,
  expectOk,
  read,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { atOnce } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

/**
 * Removes the last message of a conversation and returns its content. Returns `undefined` if the conversation has no
 * messages.
 */
async function pop(provider: Provider, id: string): Promise<string | undefined> {
  // Tries again if another writer changes the conversation between the read and the removal.
  for (;;) {
    const { conversation } = await read(provider, { messages: { limit: 1 } }, id);
    const [last] = contents(conversation?.messages ?? []);
    const expectedVersion = conversation?.metadata?.version ?? -1;
    if (last === undefined) return undefined;
    const written = await provider.appendMessages(id, [], {}, { dropLast: 1, expectedVersion });
    if (written.success) return last;
    expectConflict(written, "version");
  }
}

/** Adds 1 to a counter in the metadata. */
async function increment(provider: Provider): Promise<void> {
  // Tries again if another writer changes the metadata between the read and the write.
  for (;;) {
    const { metadata } = await readConversation(provider, "c");
    const { metadataVersion = -1, count } = metadata;
    const options = { expectedMetadataVersion: metadataVersion };
    const written = await provider.appendMessages("c", [], { count: Number(count) + 1 }, options);
    if (written.success) return;
    expectConflict(written, "metadata-version");
  }
}

// In only one run, one process could finish before the other one begins.
/** How often each test runs. */
const ROUNDS = 5;

async function eachRound(task: (id: string) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await task(`c-${round}`);
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${index}`);

export const sharedEnds = defineSpec(
  {
    level: "concurrency",
    subject: "one conversation, changed by many",
    why: "Two workers take the same item, both keep their own title, or count the same turn twice.",
    hint: "write(): compare, drop, skip, append and count in one atomic step.",
  },
  {
    "gives each of ten items to one of fourteen that pop": (scenario) =>
      eachRound(async (id) => {
        expectOk(await append(scenario.provider, id, users(...names(10))));
        const popped = await atOnce(scenario, 14, (provider) => pop(provider, id));
        const given = popped.filter((item) => item !== undefined);
        expect(given.toSorted()).toEqual(names(10));
        expect(popped.filter((item) => item === undefined)).toHaveLength(4);
        const { messages, metadata } = await readConversation(scenario.provider, id);
        expect(messages).toEqual([]);
        expect(metadata).toMatchObject({ version: 11, totalMessages: 0, nextPosition: 0 });
      }),

    "lets ten of fourteen blind drops pass if there are ten messages": async (scenario) => {
      expectOk(await append(scenario.provider, "c", users(...names(10))));
      const drops = await atOnce(scenario, 14, (provider) =>
        provider.appendMessages("c", [], {}, { dropLast: 1 }),
      );
      const refused = drops.filter(({ success }) => !success);
      expect(refused).toHaveLength(4);
      for (const result of refused) expectConflict(result, "length");
      expect(await readContents(scenario.provider, "c")).toEqual([]);
    },

    "replaces the end for each writer in turn": async (scenario) => {
      expectOk(await append(scenario.provider, "c", users("first", "x", "y")));
      const written = await atOnce(scenario, 16, (provider, writer) =>
        provider.appendMessages("c", users(`${writer}/0`, `${writer}/1`), {}, { dropLast: 2 }),
      );
      for (const result of written) expectOk(result);
      const [first, ...end] = await readContents(scenario.provider, "c");
      const writer = end[0]?.split("/")[0];
      expect([first, ...end]).toEqual(["first", `${writer}/0`, `${writer}/1`]);
      const { metadata } = await readConversation(scenario.provider, "c");
      expect(metadata).toMatchObject({ version: 17, totalMessages: 3, nextPosition: 3 });
    },

    "counts every one of 24 read-modify-writes of metadata": async (scenario) => {
      expectOk(await append(scenario.provider, "c", users("1"), { count: 0 }));
      await atOnce(scenario, 24, increment);
      const { metadata } = await readConversation(scenario.provider, "c");
      expect(metadata).toMatchObject({ count: 24, metadataVersion: 25, version: 1 });
    },

    "lets one of 16 metadata changes with the same expectation pass": (scenario) =>
      eachRound(async (id) => {
        expectOk(await append(scenario.provider, id, users("1"), { title: "old" }));
        const results = await atOnce(scenario, 16, (provider, writer) =>
          provider.appendMessages(id, [], { title: `${writer}` }, { expectedMetadataVersion: 1 }),
        );
        const refused = results.filter(({ success }) => !success);
        expect(refused).toHaveLength(15);
        for (const result of refused) {
          expect(expectConflict(result, "metadata-version").actualVersion).toBe(2);
        }
        const winner = results.findIndex(({ success }) => success);
        expect((await readConversation(scenario.provider, id)).metadata["title"]).toBe(`${winner}`);
      }),

    "lets one of 16 replacements by nothing with the same expectation pass": (scenario) =>
      eachRound(async (id) => {
        expectOk(await scenario.provider.storeMessages(id, []));
        const results = await atOnce(scenario, 16, (provider) =>
          provider.storeMessages(id, [], {}, { expectedVersion: 1 }),
        );
        expect(results.filter(({ success }) => success)).toHaveLength(1);
        for (const result of results) if (!result.success) expectConflict(result, "version");
      }),

    "stores a message once if several send it under its id": async (scenario) => {
      const messageIds = names(12);
      await atOnce(scenario, 8, async (provider, writer) => {
        const mine = messageIds.slice(writer % 4).concat(messageIds.slice(0, writer % 4));
        const texts = mine.map((id) => `text ${id}`);
        expectOk(await append(provider, "c", users(...texts), {}, { messageIds: mine }));
      });
      const stored = await readContents(scenario.provider, "c");
      expect(stored.toSorted()).toEqual(messageIds.map((id) => `text ${id}`).toSorted());
      const claims = await atOnce(scenario, 8, (provider, writer) =>
        append(provider, "claimed", users(`of ${writer}`), {}, { messageIds: ["m"] }),
      );
      const winner = claims.findIndex(({ success }) => success);
      expect(await readContents(scenario.provider, "claimed")).toEqual([`of ${winner}`]);
      for (const [writer, claim] of claims.entries())
        if (writer !== winner) expectConflict(claim, "message-id");
    },

    "gives each write its own positions, and returns them in its receipt": async (scenario) => {
      const ends = await atOnce(scenario, 16, async (provider, writer) => {
        const idempotencyKey = `k-${writer}`;
        expectOk(await append(provider, "c", users(`${writer}`), {}, { idempotencyKey }));
        return (await read(provider, { receiptFor: idempotencyKey })).receipt?.nextPosition;
      });
      const stored = await readContents(scenario.provider, "c");
      for (const [writer, end] of ends.entries()) expect(stored[(end ?? 0) - 1]).toBe(`${writer}`);
    },
  },
);
