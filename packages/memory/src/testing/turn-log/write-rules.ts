import { expect } from "vitest";
import type { WriteOptions } from "../../contract/provider.ts";
import { canBegin, type TurnBeginning } from "../../contract/turn-beginning.ts";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { NewTurn, TurnLog } from "../../turn-log/turn-log.ts";
import { expectConflict, expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { users } from "../fixtures/messages.ts";
import { append, begin, endedTurn, HELD, newTurn, type TurnLogRules, turnT } from "./scenario.ts";

interface Shared {
  readonly log: TurnLog;
  readonly provider: VersionedMemoryProvider;
}

type Rule = (shared: Shared, other: TurnLog) => Promise<void>;

/** Returns a rule for a storage in which the conversation exists and has one message. */
const rule =
  (check: Rule): TurnLogRules[string] =>
  async ({ log, other, provider }) => {
    if (provider === undefined) throw new Error("The rule needs a provider.");
    expectOk(await provider.appendMessages("c", users("0"), { userId: "u" }, { createIfMissing: true }));
    await check({ log, provider }, other);
  };

function beginningOf({ log, provider }: Shared, turn: Partial<NewTurn> = {}): TurnBeginning {
  const prepared = log.beginning?.(newTurn(turn));
  const beginning = prepared === undefined ? expect.fail("the log has no beginning()") : expectOk(prepared);
  expect(canBegin(provider, beginning)).toBe(true);
  return beginning;
}

const write = ({ provider }: Shared, beginsTurn: TurnBeginning, options: WriteOptions = {}) =>
  provider.appendMessages("c", users("1"), { title: "t" }, { expectedVersion: 1, ...options, beginsTurn });

/** Expects that neither the messages nor the metadata were written. */
async function expectUnwritten({ provider }: Shared): Promise<void> {
  const { conversation } = expectOk(await provider.readConversation("c"));
  expect(conversation).toMatchObject({ messages: users("0"), metadata: { version: 1 } });
  expect(conversation?.metadata).not.toHaveProperty("title");
}

const turnIdsOf = async ({ log }: Shared): Promise<readonly string[]> =>
  expectOk(await log.turnsOf("c")).map(({ turnId }) => turnId);

export const writeRules: TurnLogRules = {
  "begins a turn with a write": rule(async (shared, other) => {
    const { log, provider } = shared;
    const beginning = beginningOf(shared, { request: '"é\\u0000"' });
    const written = await write(shared, beginning);
    expectOk(written);
    expect(written.receipt).toMatchObject({ version: 2, nextPosition: 2 });
    expect(expectOk(await provider.getConversation("c"))?.messages).toEqual(users("0", "1"));
    expect(expectOk(await other.read(turnT))).toMatchObject({
      turn: { state: "running", userId: "u", events: 0 },
    });
    expect(expectOk(await other.find({ userId: "u", state: "running" }))).toHaveLength(1);
    expect(await append(log, beginning.writer, { events: ["a"] })).toEqual(HELD);
    expectOk(await log.release(beginning.writer));
    expect(expectOk(await other.takeOver(turnT))?.request).toBe('"é\\u0000"');
  }),
  "ends a waiting turn like begin": rule(async (shared) => {
    await endedTurn(shared.log, { turnId: "waiting" }, { state: "waiting" });
    expectOk(await write(shared, beginningOf(shared)));
    expect(expectOk(await shared.log.read({ conversationId: "c", turnId: "waiting" }))?.turn.state).toBe(
      "ended",
    );
  }),
  "begins no turn if the write is refused": rule(async (shared) => {
    const refusals = [{ expectedVersion: 7 }, { expectedIncarnation: "another" }, { dropLast: 5 }];
    for (const options of refusals) {
      // A store needn't know which of the two is refused.
      expectError(await write(shared, beginningOf(shared), options), "MemoryConflictError");
    }
    const beginsTurn = beginningOf(shared);
    const foreign = shared.provider.appendMessages("c", users("1"), { userId: "v" }, { beginsTurn });
    expectError(await foreign, "MemoryConflictError");
    await expectUnwritten(shared);
    expect(await turnIdsOf(shared)).toEqual([]);
    expectOk(await write(shared, beginningOf(shared)));
  }),
  "writes nothing if another turn runs": rule(async (shared, other) => {
    await begin(other, { turnId: "running" });
    expectConflict(await write(shared, beginningOf(shared)), "lease");
    await expectUnwritten(shared);
    expect(await turnIdsOf(shared)).toEqual(["running"]);
  }),
  "writes nothing if the turn's id is taken": rule(async (shared) => {
    await endedTurn(shared.log);
    await endedTurn(shared.log, { turnId: "waiting" }, { state: "waiting" });
    expectConflict(await write(shared, beginningOf(shared)), "lease");
    await expectUnwritten(shared);
    expect(expectOk(await shared.log.read({ conversationId: "c", turnId: "waiting" }))?.turn.state).toBe(
      "waiting",
    );
  }),
  "makes a repeated write once, and its turn stays the writer's": rule(async (shared) => {
    const beginning = beginningOf(shared);
    const options = { idempotencyKey: "k" };
    expectOk(await write(shared, beginning, options));
    expectConflict(await write(shared, beginning, options), "lease");
    expect(expectOk(await shared.log.renew(beginning.writer))).toEqual(HELD);
    expect(expectOk(await shared.provider.getConversation("c"))?.messages).toEqual(users("0", "1"));
  }),
  "begins no turn with a write that was made before without it": rule(async (shared) => {
    const { provider } = shared;
    expectOk(await provider.appendMessages("c", users("1"), {}, { idempotencyKey: "k" }));
    const beginsTurn = beginningOf(shared);
    expectConflict(
      await provider.appendMessages("c", users("1"), {}, { idempotencyKey: "k", beginsTurn }),
      "lease",
    );
    expect(await turnIdsOf(shared)).toEqual([]);
  }),
  "lets one of several concurrent writes begin its turn": rule(async (shared) => {
    const turnIds = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const writes = await Promise.all(
      turnIds.map((turnId) => write(shared, beginningOf(shared, { turnId }), { idempotencyKey: turnId })),
    );
    const winners = turnIds.filter((_, index) => writes[index]?.success === true);
    expect(winners).toHaveLength(1);
    expect(await turnIdsOf(shared)).toEqual(winners);
    expect(expectOk(await shared.provider.getConversation("c"))?.messages).toEqual(users("0", "1"));
  }),
  "refuses invalid turns, and turns of other conversations and places": rule(async (shared) => {
    const { log, provider } = shared;
    const prepared = log.beginning?.(newTurn({ turnId: "" }));
    expect(prepared?.success).toBe(false);
    await expectInvalid(
      () => write(shared, beginningOf(shared, { conversationId: "d" })),
      "options.beginsTurn",
    );
    const elsewhere = { ...beginningOf(shared), place: {} };
    expect(canBegin(provider, elsewhere)).toBe(false);
    await expectInvalid(() => write(shared, elsewhere), "options.beginsTurn");
    await expectUnwritten(shared);
  }),
};
