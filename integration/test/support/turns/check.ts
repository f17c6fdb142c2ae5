import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import { conversationIdOf, tokenOf } from "./plan.ts";
import type { LoadOptions, LoadOutcome } from "./processes.ts";
import { readTurns, type StoredTurn } from "./stored-turns.ts";

export interface CheckedTurns {
  /** The problems of the stored conversations; `[]` if there are none. */
  readonly problems: readonly string[];
  /** The number of complete turns. */
  readonly whole: number;
  /** The number of partial turns, whose process was killed. */
  readonly partial: number;
  /** How often a turn was followed by another process's turn. */
  readonly handedOver: number;
  /** The most consecutive turns of one process. */
  readonly longestStreak: number;
}

interface Expected {
  readonly options: LoadOptions;
  readonly outcome: LoadOutcome;
}

/** A turn has at least one write, and at most one for each of its messages. */
function checkCounters({ messages, metadata }: ConversationMemory): string[] {
  const problems: string[] = [];
  const { version = 0, nextPosition, totalMessages } = metadata ?? {};
  // A conversation created with a turn's note then has its first version.
  if (version < 1 || version > messages.length + 1)
    problems.push(`has version ${version} after ${messages.length} messages`);
  if (nextPosition !== messages.length)
    problems.push(`is at position ${nextPosition} after ${messages.length} messages`);
  if (totalMessages !== messages.length)
    problems.push(`says ${totalMessages} of ${messages.length} messages`);
  return problems;
}

/** Each turn at most once, and those of a lane in the order in which they were taken. */
function checkOrder(turns: readonly StoredTurn[], lanes: number): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const last = new Map<string, number>();
  for (const turn of turns) {
    const token = tokenOf(turn);
    const lane = `${turn.process}:${turn.number % lanes}`;
    if (seen.has(token)) problems.push(`${token} is stored twice`);
    if (turn.number < (last.get(lane) ?? -1)) problems.push(`${token} comes after a later one`);
    seen.add(token);
    last.set(lane, turn.number);
  }
  return problems;
}

/** Acknowledged turns must be complete, failed turns absent. Turns with an unknown outcome may be partial. */
function checkAgainstOutcome(
  turns: readonly StoredTurn[],
  conversation: number,
  { options, outcome }: Expected,
): string[] {
  const problems: string[] = [];
  const lost = new Set(
    [...outcome.turns.values()]
      .filter((turn) => turn.conversation === conversation && turn.outcome === "completed")
      .map(tokenOf),
  );
  for (const turn of turns) {
    const token = tokenOf(turn);
    const told = outcome.turns.get(token)?.outcome;
    lost.delete(token);
    if (turn.conversation !== conversation) problems.push(`${token} belongs elsewhere`);
    if (told === undefined && turn.process !== options.kill?.process)
      problems.push(`${token} was never reported`);
    if (told !== undefined && told !== "completed")
      problems.push(`${token} is stored, but ended with: ${told}`);
    if (told === "completed" && !turn.whole) problems.push(`${token} isn't complete`);
  }
  return [...problems, ...[...lost].map((token) => `${token} was acknowledged and is lost`)];
}

function streaksOf(turns: readonly StoredTurn[]) {
  let [handedOver, streak, longestStreak] = [0, 0, 0];
  let previous: number | undefined;
  for (const { process } of turns) {
    if (previous !== undefined && process !== previous) handedOver += 1;
    streak = process === previous ? streak + 1 : 1;
    longestStreak = Math.max(longestStreak, streak);
    previous = process;
  }
  return { handedOver, longestStreak };
}

async function checkConversation(
  store: MemoryProvider,
  conversation: number,
  expected: Expected,
): Promise<CheckedTurns> {
  const id = conversationIdOf(conversation);
  const read = await store.getConversation(id);
  if (!read.success) throw new Error(`${id}: ${read.error.message}`);
  const { turns, problems } = readTurns(read.data?.messages ?? []);
  const found = [
    ...problems,
    ...checkOrder(turns, expected.options.lanes),
    ...checkAgainstOutcome(turns, conversation, expected),
    ...(read.data === null ? [] : checkCounters(read.data)),
  ];
  const whole = turns.filter((turn) => turn.whole).length;
  return {
    problems: found.map((problem) => `${id}: ${problem}`),
    whole,
    partial: turns.length - whole,
    ...streaksOf(turns),
  };
}

/** Compares the stored conversations with the processes' reports. */
export async function checkStore(store: MemoryProvider, expected: Expected): Promise<CheckedTurns> {
  const problems: string[] = [];
  let [whole, partial, handedOver, longestStreak] = [0, 0, 0, 0];
  for (let conversation = 0; conversation < expected.options.conversations; conversation++) {
    const checked = await checkConversation(store, conversation, expected);
    problems.push(...checked.problems);
    whole += checked.whole;
    partial += checked.partial;
    handedOver += checked.handedOver;
    longestStreak = Math.max(longestStreak, checked.longestStreak);
  }
  return { problems, whole, partial, handedOver, longestStreak };
}
