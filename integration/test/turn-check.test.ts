import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { checkStore } from "./support/turns/check.ts";
import { conversationIdOf, messagesOf, type TurnPlan, tokenOf } from "./support/turns/plan.ts";
import type { LoadOptions, TurnRecord } from "./support/turns/processes.ts";

const options: LoadOptions = {
  title: "",
  backend: "redis",
  url: "",
  namespace: "",
  conversations: 1,
  turns: 2,
  lanes: 1,
  modelMs: 0,
  mixedBy: "conversation",
  concurrency: "queue",
  leaseMs: 1,
};

const planned = (process: number, number: number): TurnPlan => ({ process, conversation: 0, number });
/** A turn with a tool call, so with four messages. */
const long = planned(0, 0);
const short = planned(1, 0);
const later = planned(1, 1);

/** The problems of these messages if the turns ended with these outcomes. */
async function problemsWith(
  messages: readonly Message[],
  told: readonly (readonly [TurnPlan, string])[],
  more: Partial<LoadOptions> = {},
): Promise<readonly string[]> {
  const store = createInMemoryProvider();
  await store.storeMessages(conversationIdOf(0), messages);
  const turns = new Map(
    told.map(([plan, outcome]): [string, TurnRecord] => [
      tokenOf(plan),
      { ...plan, kind: "turn", outcome, totalMs: 0, waitedMs: 0, refused: 0 },
    ]),
  );
  const calls = { reads: 0, headReads: 0, writes: 0 };
  const outcome = { turns, calls, elapsedMs: 0 };
  return (await checkStore(store, { options: { ...options, ...more }, outcome })).problems;
}

const completed = (...plans: readonly TurnPlan[]) => plans.map((plan) => [plan, "completed"] as const);
const all = [long, short, later].flatMap(messagesOf);

describe("the check of the load of four processes", () => {
  it("accepts consecutive turns", async () => {
    expect(await problemsWith(all, completed(long, short, later))).toEqual([]);
  });

  it("reports a turn inside another", async () => {
    const messages = [...messagesOf(long).slice(0, 2), ...messagesOf(short), ...messagesOf(long).slice(2)];
    expect(await problemsWith(messages, completed(long, short))).toEqual([
      "conversation-0: message 4 is out of place",
      "conversation-0: message 5 is out of place",
      "conversation-0: 0:0:0 isn't complete",
    ]);
  });

  it("reports a lost acknowledged turn", async () => {
    expect(await problemsWith(messagesOf(long), completed(long, short))).toEqual([
      "conversation-0: 1:0:0 was acknowledged and is lost",
    ]);
  });

  it("reports a turn that is stored twice", async () => {
    expect(await problemsWith([...all, ...messagesOf(later)], completed(long, short, later))).toEqual([
      "conversation-0: 1:0:1 is stored twice",
    ]);
  });

  it("reports a turn after the process's next turn", async () => {
    const messages = [later, short].flatMap(messagesOf);
    expect(await problemsWith(messages, completed(short, later))).toEqual([
      "conversation-0: 1:0:0 comes after a later one",
    ]);
  });

  it("reports a stored turn that failed", async () => {
    expect(await problemsWith(messagesOf(short), [[short, "MemoryConflictError lease"]])).toEqual([
      "conversation-0: 1:0:0 is stored, but ended with: MemoryConflictError lease",
    ]);
  });

  it("accepts a partial turn only if its process was killed before it reported the turn", async () => {
    const messages = [...messagesOf(long).slice(0, 3), ...messagesOf(short)];
    const kill = { process: 0, afterTurns: 1 };
    expect(await problemsWith(messages, completed(short), { kill })).toEqual([]);
    expect(await problemsWith(messages, completed(short))).toEqual([
      "conversation-0: 0:0:0 was never reported",
    ]);
  });
});
