import type { Plan } from "./plan.ts";
import type { Played } from "./play.ts";

/** The faults in all conversations. There must be none. */
export const faultsIn = (all: readonly Played[]) => ({
  refused: all.flatMap(({ name, refused }) => refused.map((why) => `${name}: ${why}`)),
  broken: all.flatMap(({ broken }) => broken),
  foreign: all.flatMap(({ foreign }) => foreign),
  lost: all.flatMap(({ name, lost }) => lost.map((owner) => `${name}: of ${owner}`)),
  wrong: all.flatMap(({ name, wrong }) => wrong.map((fault) => `${name}: ${fault}`)),
});

export const NO_FAULTS: ReturnType<typeof faultsIn> = {
  refused: [],
  broken: [],
  foreign: [],
  lost: [],
  wrong: [],
};

const sum = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((total, item) => total + count(item), 0);

/** The number of each event in the conversations. */
export function eventsIn(plans: readonly Plan[]) {
  const turns = plans.flatMap((plan) => plan.turns);
  const calls = turns.flatMap(({ replies }) => replies.flatMap((reply) => reply.calls ?? []));
  const approvals = new Set(plans.flatMap((plan) => plan.approvals));
  return {
    conversations: plans.length,
    turns: turns.length,
    streamed: sum(turns, ({ isStreamed }) => Number(isStreamed)),
    restarts: sum(turns, ({ before }) => Number(before === "restart")),
    deaths: sum(turns, ({ diesAtTool }) => Number(diesAtTool !== undefined)),
    imports: sum(turns, ({ before }) => Number(before === "import")),
    fromBrowsers: sum(turns, ({ sentAs }) => Number(sentAs !== "said")),
    asUiMessages: sum(turns, ({ sentAs }) => Number(sentAs === "uiMessages")),
    handoffs: sum(calls, ({ name }) => Number(name === "handoff")),
    overrides: sum(turns, ({ modelOverride }) => Number(modelOverride !== undefined)),
    approvals: sum(calls, ({ name }) => Number(approvals.has(name))),
    windows: sum(plans, ({ memory }) => Number(memory.window !== undefined)),
    summaries: sum(plans, ({ memory }) => Number(memory.compressionThreshold !== undefined)),
  };
}

export const describePlayed = (title: string, plans: readonly Plan[], all: readonly Played[]): string => {
  const faults = Object.entries(faultsIn(all)).map(([fault, items]) => `${items.length} ${fault}`);
  const events = Object.entries(eventsIn(plans)).map(([event, count]) => `${count} ${event}`);
  const requests = sum(all, (played) => played.requests);
  const given = sum(all, (played) => played.given);
  const returned = sum(all, (played) => played.returned);
  const summaries = sum(all, (played) => played.summaries);
  const whole = sum(all, (played) => played.whole);
  return `${title}: ${requests} requests, ${summaries} of them for summaries, ${given} opaque values given, ${returned} times one came back, ${whole} times a reply with all of its own; ${faults.join(", ")}\n  ${events.join(", ")}\n`;
};
