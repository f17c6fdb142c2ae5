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
  /** A write arrived after its process was gone: what it brought, another may have done meanwhile. */
  readonly lateWrite: boolean;
}

/** Collects what is broken of what a run promises, whatever crashes. */
export interface Judge {
  /** What an application finds in the store between two attempts. */
  readonly inspect: (stored: ConversationMemory | null, acknowledged: readonly Message[]) => void;
  readonly ended: (result: RunResult<unknown>) => void;
  /** Takes a run to which decisions were handed that have counted already. */
  readonly decidedAgain: (result: RunResult<unknown>) => void;
  readonly failed: (thrown: unknown) => void;
  /** Looks at the history as a whole, and at all that was sent and done; says what was broken, once each. */
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
    // Where the store has dropped a question, what was done for it may come first. No model is sent it so.
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
        if (messages.at(-1)?.role === "assistant") broken.add("sent: nothing waits for a reply");
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
      : ["not what was stored last"]),
    ...missing(acknowledged, arrived),
  ];
}

/** No finished tool runs again, none without its approval, and none under another key. */
function brokenExecutions(
  { executions }: Ledger,
  promises: Pick<JudgeOptions, "durability" | "lateWrite">,
): readonly string[] {
  const callIds = new Set(executions.map(({ callId }) => callId));
  return [...callIds].flatMap((callId) => {
    const ofCall = executions.filter((execution) => execution.callId === callId);
    // A call that nobody has stored is asked for anew, and is another one then.
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

/** The turns in the order of the history; one that another has cut in two is there twice. */
function turnsOf(messages: readonly Message[]): readonly string[] {
  const turns: string[] = [];
  for (const turn of messages.map(turnOf)) if (turns.at(-1) !== turn) turns.push(turn);
  return turns;
}

const repeated = (items: readonly string[]): readonly string[] =>
  items.filter((item, index) => items.indexOf(item) < index);
