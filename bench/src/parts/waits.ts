import { createRunState, createTool, type RunConfig, run } from "@jaf/core";
import type { MemoryProvider, Message } from "@jaf/memory";
import * as z from "zod";
import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report/format.ts";
import { type Contender, type Measured, measure } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { unwrap } from "../stores/store.ts";
import type { Part } from "./part.ts";

/** How many approvals, or results of a client's tool, the conversation has had. */
const COUNTS = [10, 1_000, 10_000] as const;
const WINDOW = { maxMessages: 20 };
/** The last of them to the first: it doesn't grow. */
const TARGET = 1.3;

type Kind = "approval" | "client result";
const kinds: readonly Kind[] = ["approval", "client result"];

const tools = {
  approval: createTool({
    name: "act",
    description: "",
    parameters: z.object({}),
    needsApproval: true,
    execute: () => "done",
  }),
  "client result": createTool({ name: "act", description: "", parameters: z.object({}) }),
};

const exchangeOf = (nth: number): readonly Message[] => [
  { role: "user", content: `Do number ${nth}, please.` },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: `call_${nth}`, type: "function", function: { name: "act", arguments: "{}" } }],
  },
  { role: "tool", content: "done", tool_call_id: `call_${nth}` },
  { role: "assistant", content: `Number ${nth} is done.` },
];

/** A call of a tool, and after its result a reply. */
const modelProvider: RunConfig<object>["modelProvider"] = {
  getCompletion: async ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { message: { content: "It is done." } }
      : { message: { tool_calls: [{ id: `call_${crypto.randomUUID()}`, function: { name: "act" } }] } },
};

interface Timed {
  /** Until the run waits. */
  readonly ask: () => Promise<void>;
  /** Until it has its reply. */
  readonly resume: () => Promise<void>;
}

function open(kind: Kind, provider: MemoryProvider, conversationId: string): Timed {
  const agent = { name: "bench", instructions: () => "Do it.", tools: [tools[kind]] };
  const config: RunConfig<object> = {
    agentRegistry: new Map([["bench", agent]]),
    modelProvider,
    memory: { provider, autoStore: true, window: WINDOW },
    conversationId,
  };
  const stateOf = (messages: readonly Message[]) =>
    createRunState({ agentName: "bench", context: {}, messages });
  let answer: Pick<RunConfig<object>, "approvals" | "toolResults"> = {};
  return {
    ask: async () => {
      const { outcome } = await run(stateOf([{ role: "user", content: "Do it, please." }]), config);
      const [waiting] = outcome.status === "interrupted" ? outcome.interruptions : [];
      if (waiting === undefined) throw new Error(`The run doesn't wait: ${JSON.stringify(outcome)}`);
      const { toolCallId } = waiting;
      answer =
        waiting.type === "approval"
          ? { approvals: [{ toolCallId, approvalId: waiting.approvalId, approved: true }] }
          : { toolResults: [{ toolCallId, result: "done" }] };
    },
    resume: async () => {
      const { outcome } = await run(stateOf([]), { ...config, ...answer });
      if (outcome.status !== "completed") throw new Error(`It didn't resume: ${JSON.stringify(outcome)}`);
    },
  };
}

interface Row {
  readonly backend: string;
  readonly kind: Kind;
  readonly count: number;
  readonly time: Measured;
  readonly toFirst: number;
}

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<readonly Row[]> {
  const provider = await backend.openProvider("jaf");
  const rows: Row[] = [];
  for (const kind of kinds) {
    lab.progress(`${backend.name}: ${kind}`);
    const contenders: Contender[] = [];
    for (const count of COUNTS) {
      const id = `${kind}-${count}`;
      const history = Array.from({ length: count }, (_, nth) => exchangeOf(nth)).flat();
      unwrap(await provider.storeMessages(id, history));
      const { ask, resume } = open(kind, provider, id);
      await ask();
      contenders.push({ name: String(count), once: resume, settle: ask });
    }
    await backend.tidy();
    const of = await measure(contenders, quick ? { warmUp: 2, rounds: 10 } : { warmUp: 30, rounds: 300 });
    const first = of(String(COUNTS[0])).p50;
    for (const count of COUNTS) {
      const time = of(String(count));
      rows.push({ backend: backend.name, kind, count, time, toFirst: time.p50 / first });
    }
  }
  return rows;
}

/** A run that goes on with an approval, or with a client's result, after many of them, with a window of 20 messages. */
export const waits: Part = async (lab, { stores, quick }) => {
  const rows: Row[] = [];
  for (const kind of stores) rows.push(...(await measureStore(lab, await startBackend(lab, kind), quick)));
  return {
    part: "waits",
    table: {
      columns: ["", "resumed by", "of them before", "p50", "p99", "to the first"],
      rows: rows.map(({ backend, kind, count, time, toFirst }) => [
        backend,
        kind,
        integer(count),
        duration(time.p50),
        duration(time.p99),
        ratio(toFirst),
      ]),
    },
    checks: rows
      .filter(({ count }) => count === COUNTS[2])
      .map(({ backend, kind, toFirst }) => ({
        what: `${backend}: resumed by the 10,000th ${kind}, to the 10th`,
        measured: toFirst,
        rule: "at most",
        target: TARGET,
        unit: "×",
      })),
    plots: [],
  };
};
