import { approve, type Interruption, reject } from "@jaf/core";
import type { StartedTurn, TurnEvent } from "@jaf/server";
import type { Notes } from "./notes.ts";
import type { Process, World } from "./process.ts";

export interface UserOptions {
  readonly conversationId: string;
  readonly userId: string;
  readonly world: World;
  readonly notes: Notes;
}

type Approval = Extract<Interruption, { readonly type: "approval" }>;

type Act = (process: Process, approves: boolean) => Promise<void>;

/** A user of one conversation. The user notes what the servers confirm. */
export interface User
  extends Readonly<Record<"send" | "send again" | "chat" | "stop" | "decide" | "timer", Act>> {
  readonly "send to both": (one: Process, other: Process) => Promise<void>;
  /** Says what no server has confirmed again, under the same key. */
  readonly repeat: (process: Process) => Promise<void>;
}

const AGENT = "helper";
/** The time of every timer, which has passed. The same timer, set again, is said once. */
const DUE = new Date("2026-01-01T00:00:00Z");

export function createUser({ conversationId, userId, world, notes }: UserOptions): User {
  const identity = { userId };
  const target = { conversationId };
  let numbers = 0;
  let lastSent: string | undefined;

  function say(by: "send" | "chat" | "timer"): string {
    numbers += 1;
    const text = `${by.charAt(0)}${numbers}`;
    notes.add({ type: "saying", text, by });
    return text;
  }

  async function send(process: Process, text: string): Promise<void> {
    const message = { identity, conversationId, agentName: AGENT, message: text, key: text };
    const result = await process.ask(async () => process.service.send?.(message));
    if (result === undefined) return;
    if (result.sent) notes.add({ type: "said", text });
    else notes.add({ type: "refused", text, reason: result.refusal.reason });
  }

  function begun(started: StartedTurn | undefined): boolean {
    if (started?.started !== true) return false;
    notes.add({ type: "begun", turnId: started.turnId });
    return true;
  }

  async function chat(process: Process, text: string): Promise<void> {
    const request = { identity, target, agentName: AGENT, input: text, turnId: text };
    const started = await process.ask(() => process.service.start(request));
    if (begun(started)) notes.add({ type: "said", text });
    else if (started?.started === false) notes.add({ type: "refused", text, reason: started.refusal.reason });
  }

  async function setTimer(process: Process, text: string): Promise<void> {
    const timer = { identity, conversationId, timerId: text, at: DUE, agentName: AGENT, message: text };
    const result = await process.ask(async () => process.service.timers?.set(timer));
    if (result === undefined) return;
    if (result.set) notes.add({ type: "said", text });
    else notes.add({ type: "refused", text, reason: result.refusal.reason });
  }

  async function decide(process: Process, approves: boolean): Promise<void> {
    const approvals = await waitingApprovals(world, conversationId);
    if (approvals.length === 0) return;
    const answers = approvals.map((call) => (approves ? approve(call) : reject(call)));
    for (const { toolCallId: callId } of answers) notes.add({ type: "deciding", callId, approves });
    numbers += 1;
    const request = { identity, target, agentName: AGENT, input: [], approvals: answers };
    const started = await process.ask(() => process.service.start({ ...request, turnId: `d${numbers}` }));
    if (!begun(started)) return;
    for (const { toolCallId: callId } of answers) notes.add({ type: "decided", callId, approves });
  }

  return {
    send: (process) => {
      lastSent = say("send");
      return send(process, lastSent);
    },
    "send again": async (process) => {
      if (lastSent !== undefined) await send(process, lastSent);
    },
    "send to both": async (one, other) => {
      const text = say("send");
      lastSent = text;
      await Promise.all([send(one, text), send(other, text)]);
    },
    chat: (process) => chat(process, say("chat")),
    timer: (process) => setTimer(process, say("timer")),
    stop: async (process) => {
      const turn = await latestTurn(world, conversationId);
      if (turn?.state !== "running") return;
      const { turnId } = turn;
      const isStopping = await process.ask(() => process.service.stop({ conversationId, turnId }));
      if (isStopping === true) notes.add({ type: "stopped", turnId });
    },
    decide,
    repeat: async (process) => {
      const confirmed = new Set(notes.of("said").map(({ text }) => text));
      const refused = new Set(notes.of("refused").map(({ text }) => text));
      for (const { text, by } of notes.of("saying")) {
        if (confirmed.has(text)) continue;
        if (by === "send") await send(process, text);
        else if (by === "timer") await setTimer(process, text);
        // A refused turn isn't repeated: the user has seen why.
        else if (!refused.has(text)) await chat(process, text);
      }
    },
  };
}

export async function latestTurn({ log }: World, conversationId: string) {
  const turns = await log.turnsOf(conversationId, 1);
  if (!turns.success) throw new Error(turns.error.message);
  return turns.data[0];
}

/** Returns the calls that wait for the user's decision. */
async function waitingApprovals(world: World, conversationId: string): Promise<readonly Approval[]> {
  const turn = await latestTurn(world, conversationId);
  if (turn?.state !== "waiting") return [];
  const events = await eventsOf(world, { conversationId, turnId: turn.turnId });
  const last = events.at(-1);
  const waiting: readonly Interruption[] = (last?.type === "turn_end" && last.interruptions) || [];
  return waiting.filter((call): call is Approval => call.type === "approval");
}

export async function eventsOf(
  { log }: World,
  turn: { readonly conversationId: string; readonly turnId: string },
): Promise<readonly TurnEvent[]> {
  const page = await log.read({ ...turn, limit: 1_000 });
  if (!page.success) throw new Error(page.error.message);
  return (page.data?.events ?? []).map((text) => JSON.parse(text) as TurnEvent);
}
