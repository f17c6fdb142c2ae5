import { setTimeout as sleep } from "node:timers/promises";
import { runServer } from "@jaf/server";
import { emptyTurn, foldTurn, type TurnItem } from "../../../src/client/index.ts";
import { agentTree, DONE } from "../agent-tree.ts";
import type { OpenWorld, World } from "../worlds.ts";
import { createJudge } from "./judge.ts";
import { type Death, openProcess, type Process } from "./process.ts";
import { clientOf, type User } from "./users.ts";

export interface TreeTrial {
  readonly openWorld: OpenWorld;
  readonly user: User;
  /** When the first server dies. Absent: never. */
  readonly death?: Death;
}

export interface TreeReport {
  /** The broken rules; `[]` if there are none. */
  readonly broken: readonly string[];
  /** The calls of the first server. */
  readonly calls: number;
  readonly hasDied: boolean;
}

const LONGEST_MS = 40_000;

/** Lets a user talk to the tree at a server that dies, and then at another one, and erases the conversation. */
export async function playKilledTree({ openWorld, user, death }: TreeTrial): Promise<TreeReport> {
  const judge = createJudge();
  const world = judge.watched(await openWorld());
  const process = openProcess(world, death);
  const dying = await startServer(process.world, {
    onRun: async (name, key) => {
      await process.alive();
      judge.onRun(name, key);
    },
    onError: () => {}, // The calls that its death cut off.
  });
  const other = await startServer(world, {
    onRun: judge.onRun,
    onError: (error) => judge.broken.push(`the other server reported: ${error}`),
  });
  try {
    const conversationId = await playUntilDone(user, { process, dying: dying.url, other: other.url });
    judge.broken.push(...(await flawsOf(other.url, conversationId)));
    await clientOf(other.url).conversations.delete(conversationId);
    if (judge.conversationIds.size !== 3) judge.broken.push("there aren't three conversations");
    for (const id of judge.conversationIds) {
      const left = await world.provider.getConversation(id);
      if (!left.success || left.data !== null) judge.broken.push("a conversation is left after the erasure");
    }
  } catch (thrown) {
    judge.broken.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  process.end();
  await Promise.all([dying.close(), other.close()]);
  return { broken: judge.broken, calls: process.calls(), hasDied: process.isDead() };
}

interface ServerHooks {
  readonly onRun: (name: string, key: string) => Promise<void> | void;
  readonly onError: (error: unknown) => void;
}

function startServer({ log, provider }: World, { onRun, onError }: ServerHooks) {
  const { agent, model: modelProvider } = agentTree({ onRun });
  return runServer(
    [agent],
    { modelProvider },
    {
      port: 0,
      ...{ defaultMemoryProvider: provider, turnLog: log, onError },
      turns: { leaseSeconds: 1, recoverMs: 100, pollMs: 20, heartbeatMs: 100 },
      authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "" }),
      shutdownMs: 500,
    },
  );
}

interface Servers {
  readonly process: Process;
  readonly dying: string;
  readonly other: string;
}

/** Says one message and approves one call after the other, the deepest first. Resolves with the conversation's id. */
async function playUntilDone(user: User, { process, dying, other }: Servers): Promise<string> {
  const { conversations, approvals } = clientOf(other);
  const deadline = performance.now() + LONGEST_MS;
  let failure: unknown;
  while (performance.now() < deadline) {
    const [begun] = (await conversations.list()).conversations;
    if (begun?.turn?.state === "running") {
      await sleep(50);
      continue;
    }
    const waiting = (await approvals.pending()).approvals.at(-1);
    const isAlive = !process.isDead();
    const url = isAlive ? dying : other;
    if (waiting === undefined && begun !== undefined && begun.messages > 0) return begun.conversationId;
    const acted = waiting === undefined ? user.say(url) : user.approve(url, waiting);
    // A request to a dead server is never answered.
    await Promise.race(isAlive ? [acted, process.died] : [acted]).catch((thrown: unknown) => {
      failure = thrown;
    });
    acted.catch(() => {});
  }
  throw new Error(`no end in time: ${failure}`);
}

/** Returns what is wrong with the conversation and the turns at the end. */
async function flawsOf(url: string, conversationId: string): Promise<readonly string[]> {
  const { conversations } = clientOf(url);
  const { messages } = await conversations.get(conversationId);
  const roles = messages.map(({ message }) => message.role).join();
  const flaws: string[] = [];
  if (roles !== "user,assistant,tool,tool,assistant") flaws.push(`the stored messages are: ${roles}`);
  if (messages.at(-1)?.message.content !== DONE) flaws.push("the last reply isn't whole");
  const { turns } = await conversations.turns(conversationId);
  for (const { turnId } of turns) {
    let turn = emptyTurn;
    for await (const event of conversations.follow(conversationId, { turnId })) turn = foldTurn(turn, event);
    if (turn.status !== "completed" && turn.status !== "interrupted")
      flaws.push(`a turn ended: ${turn.status}`);
    flaws.push(...unfinished(turn.items).map((id) => `the turn shows an unfinished call: ${id}`));
  }
  return flaws;
}

/** The calls that a page would show as if they still ran. */
const unfinished = (items: readonly TurnItem[] = []): readonly string[] =>
  items.flatMap((item) => {
    if (item.type !== "tool") return [];
    const isOpen = item.state === "running" || item.state === "called";
    return [...(isOpen ? [item.toolCallId] : []), ...unfinished(item.inner)];
  });
