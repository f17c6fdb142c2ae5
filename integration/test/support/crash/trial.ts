import { setTimeout as sleep } from "node:timers/promises";
import type { ConversationMemory, VersionedMemoryProvider } from "@jaf/memory";
import { type Mode, openConversation } from "./conversation.ts";
import { createLedger } from "./ledger.ts";
import { createSaboteur, type Point, type Strike } from "./saboteur.ts";
import type { Scenario } from "./scenarios.ts";
import { createJudge } from "./verdict.ts";

/** The store of the trials' conversations. */
export interface TrialStore {
  /** Opens a provider like a new process. */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** How long a dead process's turn is kept, in milliseconds: short, but longer than the pauses of a busy machine. */
  readonly leaseMs: number;
}

export interface Trial {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly strikes?: readonly Strike[];
}

export interface TrialReport {
  /** The broken rules; `[]` if there are none. */
  readonly broken: readonly string[];
  /** The number of external calls. */
  readonly calls: number;
  /** The last crash; absent if none was reached. */
  readonly struck: Point | undefined;
  /** The roles, texts and call ids of the final conversation, regardless of their order. */
  readonly outline: readonly string[];
}

/** For rivals: longer than a run tries to write, else a living one would lose its turn to the other. */
const LEAST_RIVAL_LEASE_MS = 300;

/** Plays a scenario in a new conversation to its end, with the given crashes. */
export async function playTrial(
  { connect, leaseMs }: TrialStore,
  { scenario, mode, strikes = [] }: Trial,
): Promise<TrialReport> {
  const ledger = createLedger();
  const saboteur = createSaboteur(strikes);
  const lateWrite = strikes.some(({ crash }) => crash === "killed, done late");
  const judge = createJudge({ ledger, scenario, durability: mode.durability, lateWrite });
  const conversation = await openConversation({
    scenario,
    mode,
    conversationId: crypto.randomUUID(),
    leaseMs: scenario.rivals ? Math.max(leaseMs, LEAST_RIVAL_LEASE_MS) : leaseMs,
    ledger,
    judge,
    connect,
    open: saboteur.open,
  });
  await inTime(conversation.play()).catch(judge.failed);
  const calls = saboteur.calls();
  await saboteur.end();
  await conversation.decideAgain();
  const stored = await conversation.load();
  return { broken: judge.conclude(stored), calls, struck: saboteur.struck(), outline: outlineOf(stored) };
}

const outlineOf = (stored: ConversationMemory | null): readonly string[] =>
  (stored?.messages ?? [])
    .map(({ role, content, tool_call_id: id, tool_calls: calls }) =>
      JSON.stringify([role, id ?? calls?.map((call) => call.id) ?? content]),
    )
    .toSorted();

const MOST_MS = 120_000;

async function inTime(work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = sleep(MOST_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not over after ${MOST_MS} ms`);
  });
  late.catch(() => {});
  await Promise.race([work, late]).finally(() => over.abort());
}
