import { setTimeout as sleep } from "node:timers/promises";
import {
  createRunState,
  type JAFError,
  type MemoryConfig,
  type RunConfig,
  type RunResult,
  run,
} from "@jaf/core";
import { AGENT, type TurnContext } from "./agent.ts";
import type { EndedTurn, TurnLoad } from "./messages.ts";
import { conversationIdOf, durabilityOf, messagesOf, type TurnPlan, tokenOf } from "./plan.ts";

const LATEST_RETRY_MS = 100;

export interface Worker {
  readonly load: TurnLoad;
  readonly config: Pick<RunConfig<TurnContext>, "agentRegistry" | "modelProvider">;
  readonly memory: MemoryConfig;
}

function describeError(error: JAFError): string {
  if (error._tag !== "MemoryError") return error._tag;
  const { error: cause } = error;
  return cause._tag === "MemoryConflictError" ? `${cause._tag} ${cause.reason}` : cause._tag;
}

const describeOutcome = ({ outcome }: RunResult<unknown>): string =>
  outcome.status === "error" ? describeError(outcome.error) : outcome.status;

/** Whether a run without a queue was refused because of another run; "incarnation": the other created the conversation. */
const isRefusal = (outcome: string): boolean =>
  /^MemoryConflictError (incarnation|lease|version)$/.test(outcome);

function runOnce({ load, config, memory }: Worker, plan: TurnPlan, onAsked: () => void) {
  const context = { token: tokenOf(plan), onAsked };
  const messages = messagesOf(plan).slice(0, 1);
  const mixedBy = load.mixedBy === "turn" ? plan.number + plan.process : plan.conversation;
  return run<TurnContext>(createRunState({ agentName: AGENT, context, messages }), {
    ...config,
    conversationId: conversationIdOf(plan.conversation),
    memory: { ...memory, durability: durabilityOf(mixedBy) },
  });
}

/** Does one run, or repeats it until it isn't refused. */
async function takeTurn(worker: Worker, plan: TurnPlan): Promise<EndedTurn> {
  const { conversation, number } = plan;
  const began = performance.now();
  let waitedMs: number | undefined;
  const onAsked = () => {
    waitedMs ??= performance.now() - began;
  };
  for (let refused = 0; ; refused++) {
    const outcome = describeOutcome(await runOnce(worker, plan, onAsked));
    if (worker.load.concurrency === "reject" && isRefusal(outcome)) {
      await sleep(Math.random() * Math.min(LATEST_RETRY_MS, 5 * 2 ** refused));
      continue;
    }
    const totalMs = performance.now() - began;
    return { kind: "turn", conversation, number, outcome, totalMs, waitedMs: waitedMs ?? totalMs, refused };
  }
}

/** Takes every n-th turn of a conversation, one after the other. */
export async function takeLane(
  worker: Worker,
  { conversation, lane }: { readonly conversation: number; readonly lane: number },
  onTurn: (turn: EndedTurn) => void,
): Promise<void> {
  const { process, turns, lanes } = worker.load;
  for (let number = lane; number < turns; number += lanes)
    onTurn(await takeTurn(worker, { process, conversation, number }));
}

/**
 * Takes all turns of this process, a few of each conversation at a time. Meanwhile, the next process takes turns of the
 * previous conversations. Processes don't wait for each other, so they sometimes meet in a conversation.
 */
export async function takeBursts(
  worker: Worker,
  burst: number,
  onTurn: (turn: EndedTurn) => void,
): Promise<void> {
  const { process, processes, conversations, turns } = worker.load;
  const all = Array.from({ length: conversations }, (_, conversation) => conversation);
  const takeBurst = async (conversation: number, first: number) => {
    for (let number = first; number < Math.min(turns, first + burst); number++)
      onTurn(await takeTurn(worker, { process, conversation, number }));
  };
  for (let first = 0; first < turns; first += burst) {
    for (let shift = 0; shift < processes; shift++) {
      const now = all.filter((conversation) => (conversation + process + shift) % processes === 0);
      await Promise.all(now.map((conversation) => takeBurst(conversation, first)));
    }
  }
}
