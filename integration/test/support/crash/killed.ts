import type { VersionedMemoryProvider } from "@jaf/memory";
import * as z from "zod";
import { type Mode, openConversation } from "./conversation.ts";
import { createLedger, type Ledger, type LedgerEvent } from "./ledger.ts";
import type { Mortal } from "./saboteur.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { createJudge, type Judge } from "./verdict.ts";

const addressSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("postgres"), connectionString: z.string(), schema: z.string() }),
  z.object({ type: z.literal("redis"), url: z.string(), keyPrefix: z.string() }),
]);

/** Where a process finds the store. */
export type StoreAddress = z.infer<typeof addressSchema>;

/** What a process is to do: to play conversations until it dies. */
export const killedSchema = z.object({
  address: addressSchema,
  leaseMs: z.number(),
  conversationIds: z.array(z.string()),
  /** At which call to the outside world it kills itself, counted over all conversations, and on which side of it. */
  killAt: z.number(),
  after: z.boolean(),
});

export type KilledOptions = z.infer<typeof killedSchema>;

/** How many conversations it takes to have each scenario in each durability. */
export const CONVERSATIONS_OF_A_KIND = 27;

/**
 * What is said in the conversation of this number, and how it is stored. Where messages are dropped nobody could tell
 * what was stored.
 */
export function playOf(index: number): { readonly scenario: Scenario; readonly mode: Mode } {
  const scenarios = SCENARIOS.filter(({ memory }) => memory?.maxMessages === undefined);
  const durabilities = ["completed", "turn", "step"] as const;
  const durability = durabilities[index % durabilities.length] ?? "step";
  const scenario = scenarios[Math.floor(index / durabilities.length) % scenarios.length];
  if (scenario === undefined) throw new RangeError("there are no scenarios");
  return { scenario, mode: { durability, concurrency: "queue", repeats: false } };
}

/** A ledger that is told of the same message by several processes: each finds what the one before has stored. */
export function noteOnce(ledger: Ledger, event: LedgerEvent): void {
  if (event.type !== "stored") {
    ledger.note(event);
    return;
  }
  const known = new Set(ledger.stored.map((message) => JSON.stringify(message)));
  const messages = event.messages.filter((message) => !known.has(JSON.stringify(message)));
  if (messages.length > 0) ledger.note({ type: "stored", messages });
}

/** A judge that also takes down what the store holds: a process that was killed couldn't tell. */
export const judgeOfSurvivors = (ledger: Ledger, judge: Judge): Judge => ({
  ...judge,
  inspect: (stored, acknowledged) => {
    noteOnce(ledger, { type: "stored", messages: stored?.messages ?? [] });
    judge.inspect(stored, acknowledged);
  },
});

const openImmortal = (): Mortal => ({
  signal: new AbortController().signal,
  call: (_point, action) => action(),
  callUncounted: (action) => action(),
});

export interface SurvivorOptions {
  readonly index: number;
  readonly conversationId: string;
  readonly leaseMs: number;
  readonly connect: () => Promise<VersionedMemoryProvider>;
}

export interface Survivor {
  readonly note: (event: LedgerEvent) => void;
  /** As the processes left it. */
  readonly inspect: () => Promise<unknown>;
  /** Plays it to its end, and says what was broken. */
  readonly finish: () => Promise<readonly string[]>;
}

/** A conversation that several processes play, each until it is killed, and this one to its end. */
export async function openSurvivor({ index, ...options }: SurvivorOptions): Promise<Survivor> {
  const { scenario, mode } = playOf(index);
  const ledger = createLedger();
  const { durability } = mode;
  const judge = judgeOfSurvivors(ledger, createJudge({ ledger, scenario, durability, lateWrite: false }));
  const conversation = await openConversation({
    ...options,
    ...{ scenario, mode, ledger, judge },
    open: openImmortal,
  });
  return {
    note: (event) => noteOnce(ledger, event),
    inspect: conversation.load,
    finish: async () => {
      await conversation.play().catch(judge.failed);
      await conversation.decideAgain();
      return judge.conclude(await conversation.load());
    },
  };
}
