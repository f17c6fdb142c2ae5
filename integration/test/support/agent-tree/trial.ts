import { setTimeout as sleep } from "node:timers/promises";
import {
  approve,
  createRunState,
  type Interruption,
  type MemoryConfig,
  messageText,
  type Resume,
  type RunResult,
  run,
} from "@jaf/core";
import type { VersionedMemoryProvider } from "@jaf/memory";
import { createSaboteur, type Mortal, type Point, type Strike } from "../crash/saboteur.ts";
import type { TrialStore } from "../crash/trial.ts";
import { createTree, createTreeModel, type Memory, resultOf, TASKS } from "./tree.ts";

export interface TreeTrial {
  readonly memory: Memory;
  readonly strikes?: readonly Strike[];
}

export interface TreeReport {
  /** The broken rules; `[]` if there are none. */
  readonly broken: readonly string[];
  /** The results that the output doesn't have exactly once. */
  readonly lost: readonly string[];
  readonly calls: number;
  readonly struck: Point | undefined;
}

const MOST_ATTEMPTS = 60;
const USER = "ada";

/** Plays a conversation with the tree of agents to its end and erases it, with the given crashes. */
export async function playTree(
  { connect, leaseMs }: TrialStore,
  { memory, strikes = [] }: TreeTrial,
): Promise<TreeReport> {
  const conversationId = crypto.randomUUID();
  const saboteur = createSaboteur(strikes);
  const application = await connect();
  const judge = createTreeJudge();

  async function runOnce(says: readonly string[], resume: Resume): Promise<RunResult<unknown>> {
    const mortal = saboteur.open();
    const stored: MemoryConfig = {
      provider: watched(await connect(), { mortal, judge }),
      autoStore: true,
      userId: USER,
      durability: "step",
      leaseMs,
      concurrency: "queue",
      queueTimeoutMs: leaseMs * 4,
    };
    const front = createTree({ memory, mortal, executed: judge.executed });
    const messages = says.map((content) => ({ role: "user" as const, content }));
    return run(createRunState<unknown>({ agentName: front.name, context: {}, messages }), {
      agentRegistry: new Map([[front.name, front]]),
      modelProvider: createTreeModel(mortal),
      modelRetry: { baseDelayMs: 0 },
      signal: mortal.signal,
      memory: stored,
      conversationId,
      resume,
    });
  }

  const isSaid = async () => {
    const loaded = await application.getConversation(conversationId);
    return loaded.success && loaded.data !== null && loaded.data.messages.length > 0;
  };
  try {
    judge.output(await playUntilDone({ runOnce, isSaid, judge, leaseMs }));
  } catch (thrown) {
    judge.broken.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const calls = saboteur.calls();
  await saboteur.end();
  await judge.erased(application, conversationId);
  return { broken: judge.broken, lost: judge.lost, calls, struck: saboteur.struck() };
}

interface Playing {
  readonly runOnce: (says: readonly string[], resume: Resume) => Promise<RunResult<unknown>>;
  readonly isSaid: () => Promise<boolean>;
  readonly judge: TreeJudge;
  readonly leaseMs: number;
}

/** Says one message, approves what waits, and tries again after each failure. Resolves with the output. */
async function playUntilDone({ runOnce, isSaid, judge, leaseMs }: Playing): Promise<unknown> {
  let resume: Resume = {};
  let last = "";
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const { outcome } = await runOnce((await isSaid()) ? [] : ["x"], resume);
    if (outcome.status === "completed") return outcome.output;
    resume = {};
    if (outcome.status === "interrupted") resume = { approvals: judge.approve(outcome.interruptions) };
    else {
      last = JSON.stringify(outcome.error);
      if (outcome.error._tag !== "ContinuationRejected") await sleep(leaseMs / 4);
    }
  }
  throw new Error(`no answer after ${MOST_ATTEMPTS} attempts: ${last}`);
}

type TreeJudge = ReturnType<typeof createTreeJudge>;

/** Checks that each tool runs once it is approved, not again once its result is stored, and always under one key. */
function createTreeJudge() {
  const broken: string[] = [];
  const lost: string[] = [];
  const approved = new Set<string>();
  const stored = new Set<string>();
  const keys = new Map<string, string>();
  const conversationIds = new Set<string>();
  return {
    broken,
    lost,
    approve: (interruptions: readonly Interruption[]) =>
      interruptions.flatMap((waiting) => {
        if (waiting.type !== "approval") return [];
        const { task } = waiting.args as { readonly task: string };
        approved.add(`${waiting.agentName} ${task}`);
        return [approve(waiting)];
      }),
    executed: (task: string, idempotencyKey: string): void => {
      if (!approved.has(task)) broken.push(`ran without an approval: ${task}`);
      if (stored.has(task)) broken.push(`ran again after its result was stored: ${task}`);
      const before = keys.get(task);
      if (before !== undefined && before !== idempotencyKey) broken.push(`another key: ${task}`);
      keys.set(task, idempotencyKey);
    },
    written: (conversationId: string, texts: readonly string[]): void => {
      conversationIds.add(conversationId);
      for (const task of TASKS) if (texts.includes(resultOf(task))) stored.add(task);
    },
    output: (output: unknown): void => {
      const text = String(output);
      for (const task of TASKS)
        if (text.split(resultOf(task)).length !== 2) lost.push(`not once in the output: ${task}`);
    },
    erased: async (provider: VersionedMemoryProvider, conversationId: string): Promise<void> => {
      const listed = await provider.findConversations({ userId: USER });
      const names = listed.success ? listed.data.map((each) => each.conversationId) : [];
      const inner = [...conversationIds].filter((id) => id !== conversationId && names.includes(id));
      if (inner.length > 0) broken.push("an inner conversation is listed");
      if (conversationIds.size < 3) broken.push("there are no inner conversations");
      await provider.deleteConversation(conversationId);
      for (const id of conversationIds) {
        const left = await provider.getConversation(id);
        if (!left.success || left.data !== null) broken.push("a conversation is left after the erasure");
      }
    },
  };
}

/** The store as one process reaches it. */
function watched(
  store: VersionedMemoryProvider,
  { mortal, judge }: { readonly mortal: Mortal; readonly judge: TreeJudge },
): VersionedMemoryProvider {
  return {
    ...store,
    readConversation: (id, options) =>
      mortal.call({ label: "read", on: "read" }, () => store.readConversation(id, options)),
    appendMessages: (id, messages, metadata, options) => {
      const append = async () => {
        const written = await store.appendMessages(id, messages, metadata, options);
        if (written.success) judge.written(id, messages.map(messageText));
        return written;
      };
      return mortal.call(
        { label: `append ${messages.map(({ role }) => role).join(", ")}`, on: "write" },
        append,
      );
    },
  };
}
