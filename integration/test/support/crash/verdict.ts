import type { RunResult } from "@jaf/core";
import { type ConversationMemory, type Message, sanitizeConversation } from "@jaf/memory";
import { brokenProviderRules } from "../provider-rules.ts";
import type { Execution, Ledger } from "./ledger.ts";
import { turnOf } from "./model.ts";
import type { Scenario } from "./scenarios.ts";

export interface JudgeOptions {
  readonly ledger: Ledger;
  readonly scenario: Pick<Scenario, "memory" | "mostSent">;
  readonly durability: "completed" | "turn" | "step";
  /** A write arrived after its process had died. Another process may have done the same work meanwhile. */
  readonly lateWrite: boolean;
}

/** Collects the broken promises of runs. They must hold for any crash. */
export interface Judge {
  /** Checks the state that an application reads between two attempts. */
  readonly inspect: (stored: ConversationMemory | null, acknowledged: readonly Message[]) => void;
  readonly ended: (result: RunResult<unknown>) => void;
  /** Checks a run with decisions that have already been used. */
  readonly decidedAgain: (result: RunResult<unknown>) => void;
  readonly failed: (thrown: unknown) => void;
  /** Checks the whole history, and all model calls and executions. Returns each broken rule once. */
  readonly conclude: (stored: ConversationMemory | null) => readonly string[];
}

export function createJudge({ ledger, scenario, durability, lateWrite }: JudgeOptions): Judge {
  const { memory, mostSent = Number.POSITIVE_INFINITY } = scenario;
  const trims = memory?.maxMessages !== undefined;
  const broken = new Set<string>();
  const report = (where: string, rules: readonly string[]) => {
    for (const rule of rules) broken.add(`${where}: ${rule}`);
  };
  const reportHistory = (where: string, messages: readonly Message[]) => {
    // If the store has dropped a question, its replies may come first. No model receives them like that.
    const isDropped = (rule: string) => trims && rule.startsWith("anthropic/begins-without-user");
    report(
      where,
      brokenProviderRules(messages).filter((rule) => !isDropped(rule)),
    );
  };
  let inspected = "";

  return {
    inspect: (stored, acknowledged) => {
      const { messages = [], metadata } = stored ?? {};
      const state = `${metadata?.version} ${acknowledged.length}`;
      if (state === inspected) return;
      inspected = state;
      if (messages.length > 0) reportHistory("stored", sanitizeConversation(messages));
      if (!trims) report("stored", missing(acknowledged, messages));
    },
    ended: ({ outcome, finalState }) => {
      if (outcome.status === "completed") reportHistory("final state", finalState.messages);
    },
    decidedAgain: ({ outcome }) => {
      if (outcome.status === "error" && outcome.error._tag === "ContinuationRejected") return;
      broken.add(`a decision counted twice: ${JSON.stringify(outcome)}`);
    },
    failed: (thrown) => void broken.add(String(thrown)),
    conclude: (stored) => {
      report("history", brokenHistory(ledger, stored));
      for (const messages of ledger.requests) {
        report("sent", brokenProviderRules(messages));
        if (messages.at(-1)?.role === "assistant") broken.add("sent: no message waits for a reply");
        if (messages.length > mostSent) broken.add(`sent: ${messages.length} messages`);
      }
      report("tools", brokenExecutions(ledger, { durability, lateWrite }));
      return [...broken];
    },
  };
}

const textOf = (message: Message): string => JSON.stringify(message);

function missing(acknowledged: readonly Message[], messages: readonly Message[]): readonly string[] {
  const there = new Set(messages.map(textOf));
  return acknowledged
    .map(textOf)
    .filter((text) => !there.has(text))
    .map((text) => `an acknowledged message is missing: ${text}`);
}

function brokenHistory(
  { stored: arrived, acknowledged }: Ledger,
  stored: ConversationMemory | null,
): readonly string[] {
  const messages = stored?.messages ?? [];
  const texts = messages.map(textOf);
  const position = stored?.metadata?.nextPosition;
  const answers = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  const last = arrived.slice(-texts.length).map(textOf);
  return [
    ...repeated(texts).map((text) => `stored twice: ${text}`),
    ...repeated(answers).map((id) => `answered twice: ${id}`),
    ...repeated(turnsOf(messages)).map((turn) => `interleaved: turn "${turn}"`),
    ...(position === arrived.length ? [] : [`position ${position} after ${arrived.length} messages`]),
    ...(JSON.stringify(last.toSorted()) === JSON.stringify(texts.toSorted())
      ? []
      : ["the stored history isn't the recorded one"]),
    ...missing(acknowledged, arrived),
  ];
}

/** No finished tool runs again, none runs without its approval, and none runs with another key. */
function brokenExecutions(
  { executions }: Ledger,
  promises: Pick<JudgeOptions, "durability" | "lateWrite">,
): readonly string[] {
  const callIds = new Set(executions.map(({ callId }) => callId));
  return [...callIds].flatMap((callId) => {
    const ofCall = executions.filter((execution) => execution.callId === callId);
    // The model makes an unstored call again. It is then a new call.
    const keys = ofCall.filter(({ replyStored }) => replyStored).map((execution) => execution.idempotencyKey);
    return [
      ...ofCall.flatMap((execution) => brokenExecution(execution, promises)),
      ...(new Set(keys).size <= 1 ? [] : ["another idempotency key"]),
      ...(ofCall.filter(({ handed }) => handed).length <= 1 ? [] : ["twice with one approval"]),
    ].map((rule) => `${rule}: ${callId}`);
  });
}

function brokenExecution(
  { tool, needsApproval, approved, replyStored, resultStored, resultAcknowledged }: Execution,
  { durability, lateWrite }: Pick<JudgeOptions, "durability" | "lateWrite">,
): readonly string[] {
  return [
    ...(resultAcknowledged || (resultStored && !lateWrite) ? [`a finished ${tool} ran again`] : []),
    ...(durability === "step" && !replyStored ? ["ran before its call was stored"] : []),
    ...(needsApproval && !approved ? ["ran without an approval"] : []),
    ...(needsApproval && !replyStored ? ["approved before its call was stored"] : []),
  ];
}

/** The turns in the order of the history. A turn that is interrupted by another occurs twice. */
function turnsOf(messages: readonly Message[]): readonly string[] {
  const turns: string[] = [];
  for (const turn of messages.map(turnOf)) if (turns.at(-1) !== turn) turns.push(turn);
  return turns;
}

const repeated = (items: readonly string[]): readonly string[] =>
  items.filter((item, index) => items.indexOf(item) < index);
