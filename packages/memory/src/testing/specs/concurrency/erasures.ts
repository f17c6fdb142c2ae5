import { expect } from "vitest";
import {
  expectAbsent,
  expectConflict,
  expectOk,
  incarnationOf,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { atOnce, forEachConcurrently, letOthersRun } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];

const ROUNDS = 12;
const owned = { userId: "u" };

type Erase = (provider: Provider, id: string) => Promise<unknown>;

const deleteOne: Erase = async (provider, id) => expectOk(await provider.deleteConversation(id));
const clearAll: Erase = async (provider) => expectOk(await provider.clearUserConversations("u"));

/** Runs `task` in several rounds, each with a new conversation id. */
async function eachRound(
  { provider, connect }: Scenario,
  task: (writer: Provider, eraser: Provider, id: string) => Promise<void>,
): Promise<void> {
  // The writer and the eraser have one connection each, and swap their connections after every round.
  const other = await connect();
  for (let round = 0; round < ROUNDS; round++) {
    const isSwapped = round % 2 === 1;
    await task(isSwapped ? other : provider, isSwapped ? provider : other, `c-${round}`);
  }
}

/**
 * Makes the first write of a conversation and an erasure at the same time. Expects that the conversation doesn't exist
 * afterwards.
 */
const expectNothingLeft = (scenario: Scenario, erase: Erase): Promise<void> =>
  // Either the messages were written and then erased, or the write was refused.
  eachRound(scenario, async (writer, eraser, id) => {
    const expectedIncarnation = await incarnationOf(writer, id, "u");
    const [written] = await Promise.all([
      append(writer, id, users("erased"), owned, { expectedIncarnation }),
      erase(eraser, id),
    ]);
    if (!written.success) expectConflict(written, "incarnation");
    await expectAbsent(scenario.provider, id);
  });

/**
 * Erases a conversation and creates it again under the same id, while a run writes to the old conversation. Expects
 * that the new conversation contains nothing from the old conversation or from the run.
 */
const expectNothingBack = (scenario: Scenario, erase: Erase): Promise<void> =>
  eachRound(scenario, async (runner, eraser, id) => {
    expectOk(await append(runner, id, users("old"), owned));
    const { incarnation = "" } = (await readConversation(runner, id)).metadata;
    const run = { expectedIncarnation: incarnation, expectedVersion: 1 };
    const restart = async () => {
      await erase(eraser, id);
      expectOk(await append(eraser, id, users("new"), owned));
    };
    const [late] = await Promise.all([
      runner.appendMessages(id, users("reply to the old"), {}, run),
      restart(),
    ]);
    if (!late.success) expectConflict(late, "incarnation");
    expect(await readContents(runner, id)).toEqual(["new"]);
    const again = await runner.appendMessages(id, users("reply to the old"), {}, run);
    expectConflict(again, "incarnation");
  });

export const erasures = defineSpec(
  {
    level: "concurrency",
    subject: "erasures and writes at once",
    why: "Data that a user has erased comes back a moment later, because a run was in progress.",
    hint: "delete() and clearUser() leave their tombstone in the step that deletes; write() compares in the step that creates.",
  },
  {
    "leave nothing of a first write that saw the conversation before its deletion": (scenario) =>
      expectNothingLeft(scenario, deleteOne),

    "leave nothing of a first write that saw the user's conversations before they were cleared": (scenario) =>
      expectNothingLeft(scenario, clearAll),

    "bring nothing back into a conversation created after a deletion": (scenario) =>
      expectNothingBack(scenario, deleteOne),

    "bring nothing back into a conversation created after a clearing": (scenario) =>
      expectNothingBack(scenario, clearAll),

    "let one of 12 first writes that saw the same absence pass": async (scenario) => {
      for (let round = 0; round < 5; round++) {
        const id = `c-${round}`;
        const expectedIncarnation = await incarnationOf(scenario.provider, id, "u");
        const results = await atOnce(scenario, 12, (provider, writer) =>
          append(provider, id, users(`${writer}`), owned, { expectedIncarnation }),
        );
        const winner = results.findIndex(({ success }) => success);
        expect(await readContents(scenario.provider, id)).toEqual([`${winner}`]);
        for (const [writer, result] of results.entries()) {
          if (writer !== winner) expectConflict(result, "incarnation");
        }
      }
    },

    "are seen immediately by every connection": (scenario) =>
      eachRound(scenario, async (writer, eraser, id) => {
        const first = await incarnationOf(writer, id, "u");
        expectOk(await append(eraser, id, users("1"), owned, { expectedIncarnation: first }));
        expectConflict(
          await append(writer, id, users("2"), owned, { expectedIncarnation: first }),
          "incarnation",
        );
        const second = await incarnationOf(writer, id);
        expect(await incarnationOf(eraser, id)).toBe(second);
        await deleteOne(eraser, id);
        const stale = await writer.appendMessages(id, users("3"), {}, { expectedIncarnation: second });
        expectConflict(stale, "incarnation");
        const third = await incarnationOf(writer, id, "u");
        expect(third).toBe(await incarnationOf(eraser, id, "u"));
        expect(third).not.toBe(first);
        await clearAll(eraser, id);
        expectConflict(
          await append(writer, id, users("4"), owned, { expectedIncarnation: third }),
          "incarnation",
        );
        await expectAbsent(writer, id);
      }),
  },
);

const TAKEOVER_ROUNDS = 8;
const CONVERSATIONS = Array.from({ length: 24 }, (_, index) => `c-${index}`);

/**
 * Clears user `u` repeatedly, while user `v` takes over the ids of `u`'s conversations: deletes each conversation and
 * creates one under its id.
 */
async function clearDuringTakeover({ provider, connect }: Scenario): Promise<void> {
  const other = await connect();
  let taking = true;
  const takeOver = async () => {
    try {
      await forEachConcurrently(CONVERSATIONS, async (id) => {
        expectOk(await other.deleteConversation(id));
        expectOk(await append(other, id, users("of v"), { userId: "v" }));
      });
    } finally {
      taking = false;
    }
  };
  const clear = async () => {
    while (taking) {
      expectOk(await provider.clearUserConversations("u"));
      await letOthersRun();
    }
  };
  await Promise.all([clear(), takeOver()]);
}

export const takeovers = defineSpec(
  {
    level: "concurrency",
    subject: "clearing a user",
    why: "Erasing one user's data also erases another's, who has begun a conversation under the same id.",
    hint: "clearUser(): select by the owner in the step that deletes, not by ids from an earlier listing.",
  },
  {
    "keeps conversations that another user begins meanwhile under the same ids": async (scenario) => {
      const { provider } = scenario;
      for (let round = 0; round < TAKEOVER_ROUNDS; round++) {
        await forEachConcurrently(CONVERSATIONS, async (id) => {
          expectOk(await append(provider, id, users("of u"), { userId: "u" }));
        });
        await clearDuringTakeover(scenario);
        const left = expectOk(await provider.findConversations({}));
        const owners = Object.fromEntries(left.map(({ conversationId, userId }) => [conversationId, userId]));
        expect(owners).toEqual(Object.fromEntries(CONVERSATIONS.map((id) => [id, "v"])));
        expect(expectOk(await provider.clearUserConversations("v"))).toBe(CONVERSATIONS.length);
      }
    },
  },
);
