import { setTimeout as sleep } from "node:timers/promises";
import type { ConversationMemory, VersionedMemoryProvider } from "@jaf/memory";
import { type Mode, openConversation } from "./conversation.ts";
import { createLedger } from "./ledger.ts";
import { createSaboteur, type Point, type Strike } from "./saboteur.ts";
import type { Scenario } from "./scenarios.ts";
import { createJudge } from "./verdict.ts";

/** Where the conversations of trials are kept. */
export interface TrialStore {
  /** A provider as a new process opens it. */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** How long a turn outlives its process, in milliseconds; short, but longer than a busy machine keeps one waiting. */
  readonly leaseMs: number;
}

export interface Trial {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly strikes?: readonly Strike[];
}

export interface TrialReport {
  /** Which rules were broken; `[]` if all is well. */
  readonly broken: readonly string[];
  /** How many calls to the outside world there were. */
  readonly calls: number;
  /** Where it was struck last; absent if it never came so far. */
  readonly struck: Point | undefined;
  /** What was said and done, by roles, texts and call ids, whatever the order. */
  readonly outline: readonly string[];
}

/** Of rivals: longer than a run may try to write, or one that lives would lose its turn to the other. */
const LEAST_RIVAL_LEASE_MS = 300;

/** Plays a scenario in a new conversation to its end, struck as told. */
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
