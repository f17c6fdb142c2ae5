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

/** The address of the store. */
export type StoreAddress = z.infer<typeof addressSchema>;

/** The task of a process: to play conversations until it dies. */
export const killedSchema = z.object({
  address: addressSchema,
  leaseMs: z.number(),
  conversationIds: z.array(z.string()),
  /** The external call at which it kills itself, counted over all conversations, and whether before or after the call. */
  killAt: z.number(),
  after: z.boolean(),
});

export type KilledOptions = z.infer<typeof killedSchema>;

/** The number of conversations that include each scenario with each durability. */
export const CONVERSATIONS_OF_A_KIND = 27;

/**
 * The scenario and durability of the conversation with this number. Scenarios that drop messages are left out, because the
 * stored messages couldn't be checked.
 */
export function playOf(index: number): { readonly scenario: Scenario; readonly mode: Mode } {
  const scenarios = SCENARIOS.filter(({ memory }) => memory?.maxMessages === undefined);
  const durabilities = ["completed", "turn", "step"] as const;
  const durability = durabilities[index % durabilities.length] ?? "step";
  const scenario = scenarios[Math.floor(index / durabilities.length) % scenarios.length];
  if (scenario === undefined) throw new RangeError("there are no scenarios");
  return { scenario, mode: { durability, concurrency: "queue", repeats: false } };
}

/** A ledger that accepts the same message from several processes, because each reads what the previous one has stored. */
export function noteOnce(ledger: Ledger, event: LedgerEvent): void {
  if (event.type !== "stored") {
    ledger.note(event);
    return;
  }
  const known = new Set(ledger.stored.map((message) => JSON.stringify(message)));
  const messages = event.messages.filter((message) => !known.has(JSON.stringify(message)));
  if (messages.length > 0) ledger.note({ type: "stored", messages });
}

/** A judge that also records the stored messages, which a killed process couldn't report. */
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
  /** The state after the processes. */
  readonly inspect: () => Promise<unknown>;
  /** Plays it to its end, and returns the broken rules. */
  readonly finish: () => Promise<readonly string[]>;
}

/** A conversation that several processes play until they are killed, and this process to its end. */
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
