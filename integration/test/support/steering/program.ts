import type { Durability } from "@jaf/core";
import { below, pick, pickWeighted, type Random, randomNumbers } from "../random.ts";

/** The faults that a program can meet at one call of a process. */
export const CRASHES = [
  "killed before",
  "killed after",
  "killed, done late",
  "fails",
  "fails after",
] as const;

/** A fault at the `after`-th external call from the begin of its operation on, counted over all processes. */
export interface Fault {
  readonly after: number;
  readonly crash: (typeof CRASHES)[number];
  /** A late write arrives before this call of the living processes, counted without reads. */
  readonly delay: number;
}

/** Which of the two processes an operation reaches. A dead one is replaced by a new one. */
export type Slot = 0 | 1;

const KINDS = {
  /** The user sends a message under a new key. */
  send: 9,
  /** The user sends the last message again, under its key. */
  "send again": 2,
  /** The user sends a message to both processes at once, under one key. */
  "send to both": 2,
  /** The user says something by a turn of its own, which is refused while another turn runs. */
  chat: 4,
  /** The user stops the running turn. */
  stop: 3,
  /** The user decides the calls that wait. */
  decide: 5,
  /** Nothing happens for a while. */
  wait: 4,
  /** The process hands over its turns and ends. */
  close: 2,
  /** The user sets a timer that is due. */
  timer: 3,
} as const;

export interface Operation {
  readonly kind: keyof typeof KINDS;
  readonly slot: Slot;
  /** How long nothing happens after the operation, in ms. */
  readonly pauseMs: number;
  /** Whether the user waits for the answer. Otherwise the next operation begins at once. */
  readonly awaited: boolean;
  /** What a decision says. */
  readonly approves: boolean;
  readonly fault?: Fault;
}

export interface Program {
  readonly seed: number;
  /** When the servers store the messages of a turn. */
  readonly durability: Durability;
  readonly operations: readonly Operation[];
  /** Whether the user sends a message again, under its key, until a server confirms it. */
  readonly repeats: boolean;
}

const MOST_OPERATIONS = 14;
/** About as many calls as a turn with two tools makes. */
const MOST_CALLS = 30;
const MOST_FAULTS = 3;

/** Returns the same operations for the same seed. */
export function randomProgram(seed: number, durability: Durability): Program {
  const random = randomNumbers(seed);
  let faults = 0;
  const fault = (): Fault | undefined => {
    if (faults === MOST_FAULTS || random() > 0.3) return undefined;
    faults += 1;
    return {
      after: 1 + below(random, MOST_CALLS),
      crash: pick(random, CRASHES),
      delay: 1 + below(random, 5),
    };
  };
  const count = 2 + below(random, MOST_OPERATIONS - 1);
  const operations = Array.from({ length: count }, () => randomOperation(random, fault()));
  return { seed, durability, operations, repeats: random() < 0.7 };
}

const randomOperation = (random: Random, fault: Fault | undefined): Operation => ({
  kind: pickWeighted(random, KINDS),
  slot: random() < 0.5 ? 0 : 1,
  pauseMs: pick(random, [0, 0, 0, 2, 10, 40]),
  awaited: random() < 0.7,
  approves: random() < 0.6,
  ...(fault && { fault }),
});
