import { setTimeout as sleep } from "node:timers/promises";
import { createRunState, type Durability, type JAFError, type RunState, run } from "@jaf/core";
import type { MemoryProvider, Message } from "@jaf/memory";
import { until } from "../../../../test/polling.ts";
import { echoing, replyTo } from "./agent.ts";

const WRITERS = 9;
const DURABILITIES: readonly Durability[] = ["completed", "turn", "step"];
const PAUSE_MS = 20;

/** Failed runs, as seen by their callers. */
export interface Seen {
  /** The number of runs by outcome. */
  readonly failures: ReadonlyMap<string, number>;
  /** The longest time that a caller waited for the end of a run, in milliseconds. */
  readonly longestMs: number;
}

export interface Recovery {
  /** The time until the first success of a run that began after the fault, in milliseconds. */
  readonly firstMs: number;
  /** The time until one run of each conversation had succeeded. */
  readonly allMs: number;
}

/** Nine users, each with their own conversations and one run at a time. A failed run is tried again. */
export interface Load {
  /** The failures since the last call. */
  readonly takeSeen: () => Seen;
  /** Resolves when every user has an answer to a run that began after this call. */
  readonly recovered: () => Promise<Recovery>;
  readonly answered: () => number;
  /** Waits for running runs. */
  readonly stop: () => Promise<void>;
  /** The problems of the stored conversations, which must have every answer once, in order, and nothing else. */
  readonly problems: (provider: MemoryProvider, lost?: LostTurns) => Promise<readonly string[]>;
  /** The number of answered turns of each user. */
  readonly turns: () => readonly number[];
}

interface Writer {
  readonly name: string;
  readonly durability: Durability;
  /** The number of answered turns. */
  answered: number;
  /** Whether one more turn may be stored, with or without an answer. */
  isOpen: boolean;
}

/** After this many turns the next conversation begins, so none becomes long. */
const TURNS_OF_ONE = 50;

/** An exclamation mark means that it isn't a store error. No fault of a store may cause such an error. */
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

const conversationOf = ({ name }: Writer, turn: number): string =>
  `${name}-${Math.floor(turn / TURNS_OF_ONE)}`;

const saidIn = ({ name }: Writer, turn: number): string => `${turn} of ${name}`;

/** Turns that a former server answered and its successor may lack: from the first number to before the second. */
export interface LostTurns {
  readonly from: readonly number[];
  readonly before: readonly number[];
}

interface Expected {
  readonly writer: Writer;
  /** The first turn of the conversation. */
  readonly first: number;
  readonly mayMiss: (turn: number) => boolean;
}

/** Compares a conversation with the answered turns: each must be stored once, completely and in order. */
function compare({ writer, first, mayMiss }: Expected, messages: readonly Message[]): string[] {
  const conversation = conversationOf(writer, first);
  const end = Math.min(first + TURNS_OF_ONE, writer.answered);
  let at = 0;
  for (let turn = first; turn < end; turn++) {
    const [said, reply] = pairOf(saidIn(writer, turn));
    const isSaid = messages[at]?.content === said?.content;
    if (isSaid && messages[at + 1]?.content === reply?.content) at += 2;
    else if (!mayMiss(turn)) return [`${conversation}: message ${at} isn't turn ${turn}`];
    // The restored state may be from between the two writes of a turn.
    else if (isSaid) at += 1;
  }
  const open = pairOf(saidIn(writer, end));
  const mayBeOpen = writer.isOpen && end < first + TURNS_OF_ONE;
  const rest = messages.slice(at);
  const fits =
    rest.length <= (mayBeOpen ? 2 : 0) && rest.every(({ content }, n) => content === open[n]?.content);
  return fits ? [] : [`${conversation}: unknown messages from ${at} on`];
}

/** `signal`: aborts all runs. */
export function startLoad(provider: MemoryProvider, namespace: string, signal?: AbortSignal): Load {
  const writers = Array.from({ length: WRITERS }, (_, number): Writer => {
    const durability = DURABILITIES[number % DURABILITIES.length] ?? "completed";
    return { name: `${namespace}-${number}`, durability, answered: 0, isOpen: false };
  });
  let stopping = false;
  let failures = new Map<string, number>();
  let longestMs = 0;

  /** Whether it was answered. */
  async function ask({ name, durability }: Writer, conversationId: string, state: RunState<object>) {
    const began = performance.now();
    const memory = { provider, autoStore: true, userId: `user of ${name}`, durability };
    const { outcome } = await run(state, {
      ...echoing,
      conversationId,
      memory,
      ...(signal === undefined ? {} : { signal }),
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    if (outcome.status === "completed") return true;
    const ending = describeError(outcome.error);
    failures.set(ending, (failures.get(ending) ?? 0) + 1);
    return false;
  }

  async function write(writer: Writer): Promise<void> {
    while (!stopping) {
      const turn = writer.answered;
      const messages = [{ role: "user", content: saidIn(writer, turn) }] as const;
      const state = createRunState({ agentName: "echo", context: {}, messages });
      writer.isOpen = true;
      let isAnswered = false;
      while (!isAnswered && !stopping) {
        isAnswered = await ask(writer, conversationOf(writer, turn), state);
        await sleep(PAUSE_MS);
      }
      if (!isAnswered) return;
      writer.answered += 1;
      writer.isOpen = false;
    }
  }

  const counts = () => writers.map(({ answered }) => answered);

  async function recovered(): Promise<Recovery> {
    const began = performance.now();
    // The answer to the current run, and one more.
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
    turns: counts,
    problems: async (reader, lost) => {
      const problems: string[] = [];
      for (const [number, writer] of writers.entries()) {
        const { from, before } = { from: lost?.from[number] ?? 0, before: lost?.before[number] ?? 0 };
        const mayMiss = (turn: number) => turn >= from && turn <= before && lost !== undefined;
        for (let first = 0; first <= writer.answered; first += TURNS_OF_ONE) {
          const read = await reader.getConversation(conversationOf(writer, first));
          problems.push(
            ...(read.success
              ? compare({ writer, first, mayMiss }, read.data?.messages ?? [])
              : [read.error.message]),
          );
        }
      }
      return problems;
    },
  };
}
