import { createTool, type ModelProvider } from "@jaf/core";
import { messageText } from "@jaf/memory/history";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { NumberedEvent } from "../../src/turns/turn-service.ts";
import {
  ask,
  begin,
  clerk,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  type World,
} from "../support/turn-fixtures.ts";

const TURNS = 60;
/** Longer than a turn, so some processes die at its beginning and some after its end. */
const LONGEST_MS = 2_500;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A model that says words, calls the tool, and says more words. It finds its step in the history. */
const model: ModelProvider<unknown> = {
  getCompletion: () => Promise.reject(new Error("only streams")),
  getCompletionStream: async function* ({ messages }, _agent, { signal }) {
    const topic = messageText(
      messages.findLast(({ role }) => role === "user") ?? { role: "user", content: "" },
    );
    const isCalled = messages.at(-1)?.role === "tool";
    for (let n = 0; n < 8; n++) {
      await wait(60);
      signal?.throwIfAborted();
      yield { type: "text_delta", text: `${topic}${isCalled ? "b" : "a"}${n} ` };
    }
    if (!isCalled)
      yield { type: "tool_call_delta", id: "call", name: "note", arguments: JSON.stringify({ topic }) };
    yield { type: "done" };
  },
};

const replyOf = (topic: string, part: "a" | "b") =>
  Array.from({ length: 8 }, (_, n) => `${topic}${part}${n} `).join("");

/** A call without an answer until long after the turns. */
const gone = () =>
  new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error("the process is gone")), 15_000).unref();
  });

/** A process that dies: its later calls and half of those in progress get no answer. */
function dyingWorld(world: World, afterMs: number): World {
  const diesAt = performance.now() + afterMs;
  const isDead = () => performance.now() >= diesAt;
  const failing = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          await wait(Math.random() * 3);
          if (isDead()) return gone();
          const result: unknown = await value.apply(of, args);
          await wait(Math.random() * 3);
          return isDead() ? gone() : result;
        };
      },
    });
  return { log: failing({ ...world.log }), provider: failing({ ...world.provider }) };
}

/** Returns what a reader has at the end: messages, and pieces that no message has replaced. */
function shown(events: readonly NumberedEvent[]) {
  const messages: unknown[] = [];
  let pieces = "";
  for (const { event } of events) {
    if (event.type === "text") pieces += event.text;
    if (event.type === "retract") pieces = "";
    if (event.type === "message") {
      messages.push(event.message.content);
      pieces = "";
    }
  }
  return { messages, pieces };
}

describe("Turns with processes that die at any moment", () => {
  test("end with each reply complete and once", { timeout: 120_000 }, async () => {
    const world = createWorld();
    const keys = new Map<string, Set<string | undefined>>();
    const note = createTool({
      name: "note",
      description: "Notes",
      parameters: z.object({ topic: z.string() }),
      execute: async ({ topic }, _context, call) => {
        await wait(20);
        keys.set(topic, (keys.get(topic) ?? new Set()).add(call?.idempotencyKey));
        return `noted ${topic}`;
      },
    });
    const options = { agents: [{ ...clerk, tools: [note] }], leaseSeconds: 1, recoverMs: 100 };
    const survivor = createTestService(world, model, options);
    // Loads modules before the test, in a first turn.
    await (await begin(survivor, ask("first"))).ended;
    const turns = await Promise.all(
      Array.from({ length: TURNS }, async (_, n) => {
        const topic = `topic${n}-`;
        const afterMs = 20 + Math.random() * LONGEST_MS;
        const dying = createTestService(dyingWorld(world, afterMs), model, { ...options, recoverMs: false });
        const conversationId = `c${n}`;
        await world.provider.appendMessages(conversationId, [], { userId: "ada" }, { createIfMissing: true });
        void dying.start(ask(topic, { target: { conversationId } }));
        await wait(afterMs + 50);
        const latest = await world.log.read({ conversationId });
        const turn = latest.success ? latest.data?.turn : undefined;
        // The process died before the turn began: the client sends the message again.
        return { topic, turn: turn ?? (await begin(survivor, ask(topic, { target: { conversationId } }))) };
      }),
    );
    let takenOver = 0;
    for (const { topic, turn } of turns) {
      const events = await eventsOf(survivor, turn);
      if (events.some(({ event }) => event.type === "retract")) takenOver += 1;
      expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index));
      expect(events.filter(({ event }) => event.type === "turn_end")).toHaveLength(1);
      expect(events.at(-1)?.event).toMatchObject({ status: "completed" });
      const replies = [replyOf(topic, "a"), replyOf(topic, "b")];
      expect(shown(events)).toEqual({ messages: replies, pieces: "" });
      const stored = await messagesOf(world, turn.conversationId);
      expect(stored.map(({ content }) => content)).toEqual([topic, replies[0], `noted ${topic}`, replies[1]]);
      expect(keys.get(topic)?.size).toBe(1);
    }
    expect(takenOver).toBeGreaterThan(TURNS / 4);
  });
});
