import type { ModelProvider } from "@jaf/core";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { canBegin, messageText } from "@jaf/memory/internal";
import type { Identity } from "@jaf/server";
import { describe, expect, it } from "vitest";
import { lost, startServer } from "../support/server/beginnings.ts";
import { openPostgres, openRedis } from "../support/server/stores.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 40);
const FIRST = Number(process.env["FIRST"] ?? 1);

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Makes calls fail before or after they are made, be late, or arrive after their failure. */
function createFaults(random: () => number) {
  let share = 0.3;
  const late: Promise<unknown>[] = [];
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  async function call<T>(make: () => Promise<T>): Promise<T> {
    if (random() >= share) return make();
    const kind = random();
    if (kind < 0.3) return lost() as T;
    if (kind < 0.6) {
      await make();
      return lost() as T;
    }
    if (kind < 0.75) {
      await pause(random() * 60);
      return make();
    }
    if (kind < 0.85) {
      await make();
      throw new Error("a bug");
    }
    late.push(pause(random() * 60).then(make));
    return lost() as T;
  }
  return {
    call,
    end: async () => {
      share = 0;
      await Promise.all(late);
    },
  };
}

describe.each([
  { store: "Postgres", open: openPostgres },
  { store: "Redis", open: openRedis },
])("turns with faults of $store", ({ open }) => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST + index))(
    "keep every promise, seed %i",
    async (seed) => {
      const stores = await open();
      const random = randomOf(seed);
      const durability = (["step", "turn", "completed"] as const)[seed % 3];
      const mayBegin = seed % 2 === 0;
      const faults = createFaults(random);
      const { provider, turnLog } = stores;
      const faultyProvider = {
        ...provider,
        canBegin: (beginning: Parameters<typeof canBegin>[1]) => mayBegin && canBegin(provider, beginning),
        appendMessages: (...given: Parameters<typeof provider.appendMessages>) =>
          faults.call(() => provider.appendMessages(...given)),
        readConversation: (...given: Parameters<typeof provider.readConversation>) =>
          faults.call(() => provider.readConversation(...given)),
      } satisfies VersionedMemoryProvider & { canBegin: unknown };
      const faultyLog: TurnLog = {
        ...turnLog,
        ...(turnLog.beginning && { beginning: (turn) => turnLog.beginning?.(turn) as never }),
        begin: (turn) => faults.call(() => turnLog.begin(turn)),
        renew: (writer) => faults.call(() => turnLog.renew(writer)),
        append: (events) => faults.call(() => turnLog.append(events)),
        read: (query) => faults.call(() => turnLog.read(query)),
      };
      const calls = new Map<string, number>();
      const model: ModelProvider<Identity> = {
        getCompletion: async ({ messages }) => {
          const said = messages.findLast(({ role }) => role === "user");
          const text = said === undefined ? "" : messageText(said);
          calls.set(text, (calls.get(text) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, random() * 30));
          return { message: { content: `re: ${text}` } };
        },
      };
      // Much longer than a busy machine holds a process up: else its turn is taken over, which rightly asks the model again.
      const turns = { leaseSeconds: 4, heartbeatMs: 100, pollMs: 20 };
      const servers = await Promise.all(
        [1, 2].map(() =>
          startServer({ provider: faultyProvider, turnLog: faultyLog, model, turns, durability }),
        ),
      );
      // Continues the turns of the others.
      await startServer({ provider, turnLog, model, turns: { ...turns, recoverMs: 50 }, durability });
      const made = await provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
      expect(made.success).toBe(true);
      const asked: { text: string; status: number; body: unknown }[] = [];
      await Promise.all(
        servers.map(async (server, which) => {
          for (let nth = 0; nth < 5; nth++) {
            const text = `m${which}${nth}`;
            const answered = await server.ask({ conversationId: "c", message: text });
            asked.push({ text, ...answered });
          }
        }),
      );
      await faults.end();
      await expect
        .poll(async () => {
          const all = await turnLog.turnsOf("c");
          return all.success && all.data.every(({ state }) => state === "ended");
        })
        .toBe(true);
      const read = await provider.readConversation("c");
      const messages = (read.success ? (read.data.conversation?.messages ?? []) : []).map(messageText);
      const told = JSON.stringify({ asked, messages, calls: [...calls] }, undefined, 1);
      for (const { text, status, body } of asked) {
        const count = messages.filter((message) => message === text).length;
        const replies = messages.filter((message) => message === `re: ${text}`).length;
        expect(count, `${text} is doubled ${told}`).toBeLessThanOrEqual(1);
        expect(replies, `the reply to ${text} is doubled ${told}`).toBeLessThanOrEqual(1);
        const isCompleted = status === 200 && JSON.stringify(body).includes('"completed"');
        if (isCompleted) expect([count, replies], `${text} is lost ${told}`).toEqual([1, 1]);
        if (status === 404 || status === 409) expect(count, `${text} was refused ${told}`).toBe(0);
        const isFailed = JSON.stringify(body).includes('"MemoryError"');
        if (status === 200 && !isFailed && durability !== "completed")
          expect(count, `${text} was accepted ${told}`).toBe(1);
        expect(calls.get(text) ?? 0, `${text} called the model twice ${told}`).toBeLessThanOrEqual(1);
      }
    },
  );
});
