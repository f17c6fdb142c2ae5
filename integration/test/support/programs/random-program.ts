import { below, pick, pickWeighted, type Random, randomNumbers } from "../random.ts";
import { idsOf } from "./ids.ts";
import type { Operation, OperationOf, Program, Strike } from "./program.ts";

type Weights = Readonly<Record<Operation["kind"], number>>;

interface Profile {
  readonly weights: Weights;
  /** Whether conversations keep only a few messages. Such programs have no runs, because a trim spares tool results. */
  readonly trims?: true;
}

const none: Weights = {
  ...{ append: 0, store: 0, delete: 0, clear: 0, export: 0, import: 0 },
  ...{ pop: 0, rename: 0, increment: 0, read: 0, run: 0 },
};

/** A program's main kind of operation. If everything were erased all the time, hardly anything could be checked. */
const PROFILES: readonly Profile[] = [
  { weights: { ...none, append: 4, run: 4, rename: 2, increment: 1, read: 2 } },
  { weights: { ...none, append: 2, run: 5, delete: 2, clear: 1, read: 1 } },
  { weights: { ...none, append: 3, run: 2, export: 3, import: 3, delete: 2, clear: 1, rename: 1, read: 1 } },
  { weights: { ...none, append: 4, pop: 6, store: 1, delete: 1, read: 1 } },
  { weights: { ...none, append: 1, increment: 6, rename: 2, pop: 1, delete: 1, read: 1 } },
  { weights: { ...none, append: 6, pop: 2, rename: 1, read: 2 }, trims: true },
  {
    weights: {
      ...{ append: 4, store: 1, delete: 1, clear: 1, export: 1, import: 1 },
      ...{ pop: 2, rename: 1, increment: 1, read: 1, run: 4 },
    },
  },
];

const WORKERS = 3;
const LEAST_OPERATIONS = 3;
const MOST_OPERATIONS = 7;
const TRIMMED_TO = 6;

/** Returns the same program for the same seed. */
export function randomProgram(seed: number): Program {
  const random = randomNumbers(seed);
  const { conversationIds, userIds } = idsOf(seed, random);
  const profile = pick(random, PROFILES);
  const many = { random, profile, conversations: conversationIds.length, users: userIds.length };
  const workers = Array.from({ length: WORKERS }, () => {
    const length = LEAST_OPERATIONS + below(random, MOST_OPERATIONS - LEAST_OPERATIONS + 1);
    return Array.from({ length }, () => randomOperation(many));
  });
  return { seed, conversationIds, userIds, workers };
}

interface Many {
  readonly random: Random;
  readonly profile: Profile;
  readonly conversations: number;
  readonly users: number;
}

function randomOperation(many: Many): Operation {
  const { random, profile, conversations, users } = many;
  const kind = pickWeighted(random, profile.weights);
  const on = { conversation: below(random, conversations), ...randomStrike(random, kind) };
  const by = random() < 0.7 ? { user: below(random, users) } : {};
  const size = 1 + below(random, 3);
  switch (kind) {
    case "append":
      return randomAppend(many, { ...on, ...by });
    case "store":
      return { kind, ...on, ...by, size, expects: random() < 0.5 };
    case "clear":
      return { kind, user: below(random, users) };
    case "import":
      return { kind, ...on, expects: random() < 0.3 };
    case "pop": {
      const mode = pick(random, ["dropLast", "storeMessages"] as const);
      return { kind, ...on, count: 1 + below(random, 2), by: mode, size: random() < 0.7 ? 0 : size };
    }
    case "read":
      return { kind, ...on, how: pick(random, ["whole", "part", "recent", "found"] as const) };
    case "run":
      return { kind, ...on, ...by, ...randomRun(random) };
    default:
      return { kind, ...on };
  }
}

function randomAppend(
  { random, profile }: Many,
  on: Pick<OperationOf<"append">, "conversation" | "user" | "strike">,
): OperationOf<"append"> {
  const identity = pick(random, ["none", "none", "idempotency key", "message ids"] as const);
  return {
    kind: "append",
    ...on,
    size: 1 + below(random, 3),
    creates: random() < 0.8,
    identity,
    times: identity === "none" ? 1 : 1 + below(random, 2),
    ...(profile.trims ? { maxMessages: TRIMMED_TO } : {}),
  };
}

const randomRun = (random: Random) => ({
  durability: pick(random, ["completed", "turn", "step"] as const),
  concurrency: random() < 0.75 ? ("reject" as const) : ("queue" as const),
  toolTurns: below(random, 3),
  modelTicks: pick(random, [0, 2, 8]),
  times: 1 + below(random, 2),
});

const CRASHES = ["killed before", "killed after", "killed, done late", "fails", "fails after"] as const;
const SHARE_STRUCK = 0.25;

/** One of a run's first calls, or of the at most three calls of another operation. */
function randomStrike(random: Random, kind: Operation["kind"]): { readonly strike?: Strike } {
  if (random() >= SHARE_STRUCK) return {};
  const at = 1 + below(random, kind === "run" ? 8 : 3);
  return { strike: { at, crash: pick(random, CRASHES) } };
}
