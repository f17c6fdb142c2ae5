import { setTimeout as sleep } from "node:timers/promises";
import { createRunState, type Durability, type JAFError, run } from "@jaf/core";
import type { MemoryProvider, Message } from "@jaf/memory";
import { until } from "../../../../test/polling.ts";
import { echoing, replyTo } from "./agent.ts";

const WRITERS = 9;
const DURABILITIES: readonly Durability[] = ["completed", "turn", "step"];
const PAUSE_MS = 20;

/** What callers saw of the runs that failed. */
export interface Seen {
  /** By what a run ended with, how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** The longest that a caller waited for the end of a run, in milliseconds. */
  readonly longestMs: number;
}

export interface Recovery {
  /** Until the first run succeeded that had begun after the fault, in milliseconds. */
  readonly firstMs: number;
  /** Until one of each conversation had. */
  readonly allMs: number;
}

/** Nine users, each with a conversation of their own; their runs follow each other, and a failed one is tried again. */
export interface Load {
  /** Since the last time. */
  readonly takeSeen: () => Seen;
  /** Resolves when every user has had an answer to a run that began after this call. */
  readonly recovered: () => Promise<Recovery>;
  readonly answered: () => number;
  /** Waits for the runs under way. */
  readonly stop: () => Promise<void>;
  /** What is wrong with what is stored: every answer once, in order, and nothing else. */
  readonly problems: (provider: MemoryProvider) => Promise<readonly string[]>;
}

interface Writer {
  readonly id: string;
  readonly durability: Durability;
  /** Said, and answered. */
  readonly answered: string[];
  /** Said, and maybe stored, with or without an answer. */
  open: string | undefined;
}

export function describeError(error: JAFError): string {
  if (error._tag !== "MemoryError") return `${error._tag}!`;
  const { _tag, retryable, cause } = error.error;
  const reason = error.error._tag === "MemoryConflictError" ? ` ${error.error.reason}` : "";
  const code = cause?.code === undefined ? "" : ` ${cause.code}`;
  return `${_tag.replace(/^Memory/, "")}${reason}${code}${retryable ? "" : ", not retryable"}`;
}

const pairOf = (said: string): readonly Message[] => [
  { role: "user", content: said },
  { role: "assistant", content: replyTo(said) },
];

function compare(writer: Writer, messages: readonly Message[]): string[] {
  const expected = writer.answered.flatMap(pairOf);
  const rest = writer.open === undefined ? [] : pairOf(writer.open);
  const at = messages.findIndex(
    ({ content }, index) => content !== (expected[index] ?? rest[index - expected.length])?.content,
  );
  if (at >= 0) return [`${writer.id}: message ${at} isn't what was said`];
  return messages.length < expected.length
    ? [`${writer.id}: ${expected.length - messages.length} messages are lost`]
    : [];
}

export function startLoad(provider: MemoryProvider, namespace: string): Load {
  const writers = Array.from({ length: WRITERS }, (_, number): Writer => {
    const durability = DURABILITIES[number % DURABILITIES.length] ?? "completed";
    return { id: `${namespace}-${number}`, durability, answered: [], open: undefined };
  });
  let stopping = false;
  let failures = new Map<string, number>();
  let longestMs = 0;

  /** Whether it was answered. */
  async function ask(writer: Writer, state: ReturnType<typeof createRunState<object>>): Promise<boolean> {
    const began = performance.now();
    const { outcome } = await run(state, {
      ...echoing,
      conversationId: writer.id,
      memory: { provider, autoStore: true, userId: `user of ${writer.id}`, durability: writer.durability },
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    if (outcome.status === "completed") return true;
    const ending = describeError(outcome.error);
    failures.set(ending, (failures.get(ending) ?? 0) + 1);
    return false;
  }

  async function write(writer: Writer): Promise<void> {
    for (let turn = 0; !stopping; turn++) {
      const said = `${turn} of ${writer.id}`;
      const state = createRunState({
        agentName: "echo",
        context: {},
        messages: [{ role: "user", content: said }],
      });
      writer.open = said;
      let isAnswered = false;
      while (!isAnswered && !stopping) {
        isAnswered = await ask(writer, state);
        await sleep(PAUSE_MS);
      }
      if (!isAnswered) return;
      writer.answered.push(said);
      writer.open = undefined;
    }
  }

  const counts = () => writers.map(({ answered }) => answered.length);

  async function recovered(): Promise<Recovery> {
    const began = performance.now();
    // The answer to the run that is under way, and one more.
    const goals = counts().map((count) => count + 2);
    let firstMs: number | undefined;
    await until("Every conversation goes on", async () => {
      const now = counts();
      if (now.some((count, at) => count >= (goals[at] ?? 0))) firstMs ??= performance.now() - began;
      return now.every((count, at) => count >= (goals[at] ?? 0));
    });
    const allMs = performance.now() - began;
    return { firstMs: firstMs ?? allMs, allMs };
  }

  const writing = writers.map(write);
  return {
    takeSeen: () => {
      const seen = { failures, longestMs };
      failures = new Map();
      longestMs = 0;
      return seen;
    },
    recovered,
    answered: () => counts().reduce((sum, count) => sum + count, 0),
    stop: async () => {
      stopping = true;
      await Promise.all(writing);
    },
    problems: async (reader) => {
      const found = writers.map(async (writer) => {
        const read = await reader.getConversation(writer.id);
        return read.success ? compare(writer, read.data?.messages ?? []) : [read.error.message];
      });
      return (await Promise.all(found)).flat();
    },
  };
}
