import type { RunResult } from "@jaf/core";
import type { ConversationMemory, VersionedMemoryProvider } from "@jaf/memory";
import { prompt } from "./client.ts";
import { type Ledger, recordWrites } from "./ledger.ts";
import { type Given, runInProcess } from "./process.ts";
import type { Mortal } from "./saboteur.ts";
import type { Scenario } from "./scenarios.ts";
import type { Judge } from "./verdict.ts";

export interface Mode {
  readonly durability: "completed" | "turn" | "step";
  readonly concurrency: "reject" | "queue";
  /** What a client sends if there was no answer: the same message again, or nothing. */
  readonly repeats: boolean;
}

export interface ConversationOptions {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly conversationId: string;
  readonly leaseMs: number;
  readonly ledger: Ledger;
  readonly judge: Judge;
  /** Opens a provider like a new process. */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** Starts a new process. */
  readonly open: () => Mortal;
}

export interface Conversation {
  /** Sends all messages of the scenario until they are answered. */
  readonly play: () => Promise<void>;
  /** Sends the last decisions again. */
  readonly decideAgain: () => Promise<void>;
  readonly load: () => Promise<ConversationMemory | null>;
}

/** A conversation of an application with dying processes: it reads the store and continues in another process. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { scenario, mode, conversationId, leaseMs, ledger, judge, connect, open } = options;
  const { durability, concurrency } = mode;
  const record = recordWrites(ledger);
  const application = await connect();
  const decisions: Given[] = [];
  const memory = { ...scenario.memory, durability, concurrency, leaseMs };

  async function load(): Promise<ConversationMemory | null> {
    // A rival's answer may be missing if it came while this one was on its way.
    const acknowledged = ledger.acknowledged.slice();
    const loaded = await application.getConversation(conversationId);
    if (!loaded.success) throw new Error(loaded.error.message);
    judge.inspect(loaded.data, acknowledged);
    return loaded.data;
  }
  async function run(says: readonly string[], given: Given): Promise<RunResult<unknown>> {
    const store = record(await connect());
    const { script } = scenario;
    const process = { store, ledger, script, mortal: open(), conversationId, memory };
    const ended = await runInProcess(process, { says, given });
    judge.ended(ended);
    return ended;
  }
  // After a rival's message it would be a new one.
  const client = { scenario, repeats: mode.repeats && !scenario.rivals, load, run, pauseMs: leaseMs / 4 };
  async function say(text: string): Promise<void> {
    decisions.push(await prompt(client, text));
  }

  return {
    load,
    play: async () => {
      if (scenario.rivals) await Promise.all(scenario.says.map(say));
      else for (const text of scenario.says) await say(text);
    },
    decideAgain: async () => {
      for (const given of decisions) if (isDecided(given)) judge.decidedAgain(await run([], given));
    },
  };
}

const isDecided = ({ approvals = [], toolResults = [] }: Given): boolean =>
  approvals.length + toolResults.length > 0;
