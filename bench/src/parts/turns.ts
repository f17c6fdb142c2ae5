import { createRunState, type MemoryConfig, type Resume, type RunConfig, run } from "@jaf/core";
import type { MemoryProvider, Message } from "@jaf/memory";
import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import type { Measured } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { engineStore, RECENT } from "../stores/store.ts";
import { nextTurn } from "../turns.ts";
import { type Length, measureLengths, type Workload } from "./lengths.ts";
import type { Part } from "./part.ts";

const LENGTHS = [10, 1_000, 10_000, 100_000] as const;
const QUICK_LENGTHS = [10, 1_000, 10_000] as const;

type Config = Omit<MemoryConfig, "provider" | "autoStore">;

const WINDOW = { window: { maxMessages: RECENT } } as const;

/** How a run shortens the model's context. */
const SHORTENED = {
  "a window": WINDOW,
  "in steps": { window: { maxMessages: RECENT, trimTo: RECENT / 2 } },
  summaries: {
    compressionThreshold: RECENT,
    summary: { summarize: async () => "Orders were asked about." },
  },
} as const satisfies Record<string, Config>;
type ShortenedName = keyof typeof SHORTENED;
const shortenedNames = Object.keys(SHORTENED) as ShortenedName[];

type Timed = ShortenedName | "limit" | "raw append" | "append" | "continuation";

/** The number of messages that a client adds. */
const ADDED = 10;

interface Asked {
  readonly conversationId: string;
  readonly said: readonly Message[];
  readonly resume?: Resume;
}

/** Returns a function that does a turn with an instant model and resolves to the history token. */
function turnsOf(provider: MemoryProvider, memory: Config) {
  const agent = { name: "bench", instructions: () => "Answer." };
  return async ({ conversationId, said, ...continued }: Asked): Promise<string> => {
    const [, answer] = nextTurn();
    const config: RunConfig<object> = {
      agentRegistry: new Map([["bench", agent]]),
      modelProvider: { getCompletion: async () => ({ message: { content: answer.content } }) },
      memory: { provider, autoStore: true, ...memory },
      conversationId,
      ...continued,
    };
    const state = createRunState({ agentName: "bench", context: {}, messages: said });
    const { outcome, historyToken } = await run(state, config);
    if (outcome.status !== "completed") throw new Error(`The turn failed: ${JSON.stringify(outcome)}`);
    if (historyToken === undefined) throw new Error("The turn gave out no token");
    return historyToken;
  };
}

function sayOf(provider: MemoryProvider, memory: Config): Workload["call"] {
  const turn = turnsOf(provider, memory);
  return async (_, conversationId) => void (await turn({ conversationId, said: [nextTurn()[0]] }));
}

/** A client sends a token instead of the history, with new messages. `sent` is called with their size in bytes. */
function continueOf(
  provider: MemoryProvider,
  sent: (length: Length, bytes: number) => void,
): Pick<Workload, "prepare" | "call" | "grows"> {
  const turn = turnsOf(provider, SHORTENED["a window"]);
  const tokens = new Map<string, string>();
  const continuationOf = (id: string) => ({
    historyToken: tokens.get(id) ?? "",
    messages: Array.from({ length: ADDED }, () => nextTurn()[0]),
  });
  return {
    grows: ADDED + 1,
    prepare: async (id, length) => {
      tokens.set(id, await turn({ conversationId: id, said: [nextTurn()[0]] }));
      sent(length, Buffer.byteLength(JSON.stringify(continuationOf(id))));
    },
    call: async (_, conversationId) => {
      const resume = continuationOf(conversationId);
      tokens.set(conversationId, await turn({ conversationId, said: [], resume }));
    },
  };
}

async function workloadsOf(
  backend: Backend,
  sent: (length: Length, bytes: number) => void,
): Promise<readonly Workload[]> {
  const provider = await backend.openProvider("jaf");
  const store = engineStore(provider);
  const limit: Workload["call"] = async (raw, id) => {
    await raw.recent(id);
    await raw.append(id);
  };
  return [
    { name: "limit", store: await backend.openRaw(), call: limit },
    { name: "raw append", store: await backend.openRaw(), call: (to, id) => to.append(id) },
    { name: "append", store, call: (to, id) => to.append(id) },
    ...shortenedNames.map((name) => ({ name, store, call: sayOf(provider, SHORTENED[name]) })),
    { name: "continuation", store, ...continueOf(provider, sent) },
  ];
}

interface Row {
  readonly backend: string;
  readonly length: Length;
  readonly of: (name: Timed) => Measured;
  /** The size of a continuation. */
  readonly sentBytes: number;
}

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<readonly Row[]> {
  const lengths = quick ? QUICK_LENGTHS : LENGTHS;
  const bytes = new Map<Length, number>();
  const workloads = await workloadsOf(backend, (length, sent) => void bytes.set(length, sent));
  const of = await measureLengths({ lab, backend, title: "turns" }, workloads, {
    ...(quick ? { warmUp: 5, rounds: 40 } : { warmUp: 50, rounds: 400 }),
    lengths,
    grows: 2,
    fewest: 1,
  });
  return lengths.map((length) => ({
    backend: backend.name,
    length,
    of: (name) => of(name, length),
    sentBytes: bytes.get(length) ?? Number.NaN,
  }));
}

function checksOf(rows: readonly Row[]): Check[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const most = { rule: "at most", unit: "×" } as const;
  const continued = last.of("continuation").p50 - last.of("limit").p50;
  const continuation: Check = {
    what: `${first.backend}: a continuation with ${integer(last.length)} stored, beside the limit`,
    measured: continued / 1_000,
    rule: "at most",
    target: 5,
    unit: " ms",
  };
  const ofShortened = shortenedNames.flatMap((name): Check[] => {
    const toLimit = rows.map(({ of }) => of(name).p50 / of("limit").p50);
    return [
      { what: `${first.backend}, ${name}: to the limit`, measured: Math.max(...toLimit), target: 2, ...most },
      {
        what: `${first.backend}, ${name}: ${integer(last.length)} stored to ${first.length}`,
        measured: last.of(name).p50 / first.of(name).p50,
        target: 1.3,
        ...most,
      },
    ];
  });
  return [...ofShortened, continuation];
}

const cellsOf = ({ backend, length, of, sentBytes }: Row): string[] => [
  backend,
  integer(length),
  duration(of("limit").p50),
  duration(of("raw append").p50),
  duration(of("append").p50),
  ...shortenedNames.flatMap((name) => [
    duration(of(name).p50),
    duration(of(name).p99),
    ratio(of(name).p50 / of("limit").p50),
  ]),
  duration(of("continuation").p50),
  `${(sentBytes / 1_000).toFixed(1)} kB`,
];

/** Compares a stored turn with its necessary work: reading the last messages and appending two. */
export const turns: Part = async (lab, { stores, quick }) => {
  const measured: (readonly Row[])[] = [];
  for (const kind of stores) measured.push(await measureStore(lab, await startBackend(lab, kind), quick));
  return {
    table: {
      columns: [
        "",
        "stored",
        "limit p50",
        "raw append p50",
        "append p50",
        ...shortenedNames.flatMap((name) => [`${name} p50`, "p99", "to the limit"]),
        "continuation p50",
        "sent",
      ],
      rows: measured.flat().map(cellsOf),
    },
    checks: measured.flatMap(checksOf),
  };
};
