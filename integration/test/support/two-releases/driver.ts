import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { messageText } from "@jaf/memory/history";
import { createJafClient } from "@jaf/server/client";
import type { Noted } from "./task-agent.ts";

/** Where a turn is when its process is killed: in a model call, in a tool, or waiting for an approval. */
const STATES = ["model", "tool", "approval"] as const;
/** How many turns are played at a time. */
const AT_A_TIME = 40;
const POLL_MS = 250;
const LONGEST_MS = 90_000;

export type Task = `${(typeof STATES)[number]} ${number}`;

/** Messages of users, each of whom has one conversation with one message. A message names its turn's state. */
export const tasksFor = (count: number): readonly Task[] =>
  Array.from({ length: count }, (_, n): Task => `${STATES[n % STATES.length] ?? "model"} ${n}`);

const clientOf = (url: string, task: Task) =>
  createJafClient({ baseUrl: url, headers: { "x-user": task.replace(" ", "-") } });

export const notedIn = (ledger: string): readonly Noted[] =>
  readFileSync(ledger, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Noted);

/** Sends a task's message until its turn has begun. Resolves when the turn waits for an approval, or at `isOver`. */
export async function beginTask(task: Task, url: string, isOver: () => boolean): Promise<void> {
  const client = clientOf(url, task);
  while (!isOver()) {
    try {
      const [begun] = (await client.conversations.list()).conversations;
      if (begun?.turn?.state === "waiting") return;
      if (begun?.turn === undefined)
        await client.ask({ message: task, ...(begun && { conversationId: begun.conversationId }) });
    } catch {
      // The server was killed, or was too busy.
    }
    await sleep(POLL_MS);
  }
}

export interface PlayOptions {
  /** Returns the URL of any living server. */
  readonly urlOf: () => string;
  /** Returns the agent of a task. Default: the server's first agent. */
  readonly agentOf?: (task: Task) => string;
}

/** Plays all tasks to their end: sends what no server has received, approves what waits. */
export async function playToEnd(tasks: readonly Task[], options: PlayOptions): Promise<void> {
  const left = [...tasks];
  const lane = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await playOne(task, options);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}

async function playOne(task: Task, options: PlayOptions): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  let failure: unknown;
  while (performance.now() < deadline) {
    try {
      if (await isPlayed(task, options)) return;
    } catch (thrown) {
      failure = thrown; // The server was killed.
    }
    await sleep(POLL_MS);
  }
  throw new Error(`"${task}" didn't end in time.`, { cause: failure });
}

/** Does what a user does next. Resolves with whether the task has ended. */
async function isPlayed(task: Task, { urlOf, agentOf }: PlayOptions): Promise<boolean> {
  const client = clientOf(urlOf(), task);
  const agent = agentOf === undefined ? {} : { agentName: agentOf(task) };
  const [begun] = (await client.conversations.list()).conversations;
  if (begun?.turn?.state === "running") return false;
  const [waiting] = (await client.approvals.pending()).approvals;
  if (waiting?.interruption.type === "approval") {
    const { toolCallId, approvalId } = waiting.interruption;
    const approvals = [{ toolCallId, approvalId, approved: true }];
    await client.ask({ conversationId: waiting.conversationId, approvals, ...agent });
  } else if (begun !== undefined && begun.messages > 0) return true;
  else await client.ask({ message: task, ...agent, ...(begun && { conversationId: begun.conversationId }) });
  return false;
}

/** Returns what is wrong with the stored conversations and with the runs of the tools; `[]` if nothing is. */
export async function flawsOf(
  tasks: readonly Task[],
  { url, ledger }: { readonly url: string; readonly ledger: string },
): Promise<readonly string[]> {
  const noted = notedIn(ledger);
  const flaws: string[] = [];
  for (const task of tasks) {
    const found = await flawsOfOne(
      task,
      url,
      noted.filter((each) => each.task === task),
    );
    flaws.push(...found.map((flaw) => `${task}: ${flaw}`));
  }
  return flaws;
}

const TOOLS_OF: Readonly<Record<string, readonly string[]>> = {
  model: ["act"],
  tool: ["act", "hold"],
  approval: ["act", "ask"],
};

async function flawsOfOne(task: Task, url: string, noted: readonly Noted[]): Promise<readonly string[]> {
  const { conversations } = clientOf(url, task);
  const listed = (await conversations.list()).conversations;
  const [only] = listed;
  if (only === undefined || listed.length > 1) return [`${listed.length} conversations`];
  const flaws: string[] = [];
  const { messages } = await conversations.get(only.conversationId);
  const stored = messages.map(({ message }) => message);
  const tools = TOOLS_OF[task.split(" ")[0] ?? ""] ?? [];
  const expected = [`user: ${task}`, ...tools.flatMap((tool) => [`call of ${tool}`, `result of ${tool}`])];
  const shown = stored.map((message) => {
    if (message.role === "tool") return `result of ${messageText(message).split(":")[0]}`;
    const [call] = message.tool_calls ?? [];
    return call === undefined ? `${message.role}: ${messageText(message)}` : `call of ${call.id}`;
  });
  if (shown.join("\n") !== [...expected, `assistant: done ${task}`].join("\n"))
    flaws.push(`stored ${JSON.stringify(shown)}`);
  const { turns } = await conversations.turns(only.conversationId);
  if (turns.some(({ state }) => state !== "ended")) flaws.push("a turn hasn't ended");
  for (const tool of tools) {
    const runs = noted.filter(({ what, event }) => what === tool && event === "begin");
    if (new Set(runs.map(({ idempotencyKey }) => idempotencyKey ?? crypto.randomUUID())).size !== 1)
      flaws.push(`${tool} ran under several idempotency keys`);
    // A tool that has finished isn't run again, so the stored result is that of the last run.
    const results = stored.filter((message) => message.role === "tool").map(messageText);
    if (!results.includes(`${tool}: ${runs.at(-1)?.run}`))
      flaws.push(`${tool} ran again after it had finished`);
  }
  return flaws;
}
