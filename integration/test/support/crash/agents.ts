import { type Agent, createTool, handoffTool, type ToolCallInfo } from "@jaf/core";
import * as z from "zod";
import type { Ledger } from "./ledger.ts";
import type { Mortal } from "./saboteur.ts";

export interface AgentOptions {
  readonly ledger: Ledger;
  readonly mortal: Mortal;
  /** The ids of the calls whose approvals this process received. */
  readonly handed: ReadonlySet<string>;
}

const MOST_UNAPPROVED = 10;

const WORK = z.object({ ticks: z.number() });
const PAY = z.object({ amount: z.number() });
const NOTHING = z.object({});

/**
 * `helper` works immediately, pays more than 10 only with an approval, and asks the client for its location; `specialist`
 * works.
 */
export function createAgents({ ledger, mortal, handed }: AgentOptions) {
  async function execute(tool: string, call: ToolCallInfo | undefined, use: Use = {}): Promise<string> {
    const { ticks = 0, needsApproval = false } = use;
    const { toolCallId: callId = "", idempotencyKey = "" } = call ?? {};
    return mortal.call({ label: `${tool} ${callId}`, on: "tool" }, async () => {
      const handedHere = handed.has(callId);
      ledger.note({
        type: "executed",
        use: { callId, tool, idempotencyKey, needsApproval, handed: handedHere },
      });
      await pass(ticks);
      return `result of ${callId}`;
    });
  }
  const isMuch = (amount: number): boolean => amount > MOST_UNAPPROVED;
  const work = createTool({
    name: "work",
    description: "",
    parameters: WORK,
    execute: ({ ticks }, _context, call) => execute("work", call, { ticks }),
  });
  const pay = createTool({
    name: "pay",
    description: "",
    parameters: PAY,
    needsApproval: ({ amount }) =>
      mortal.call({ label: "needsApproval", on: "tool" }, async () => isMuch(amount)),
    execute: ({ amount }, _context, call) => execute("pay", call, { needsApproval: isMuch(amount) }),
  });
  const locate = createTool({ name: "locate", description: "", parameters: NOTHING });
  const helper: Agent<unknown, unknown> = {
    name: "helper",
    instructions: () => "",
    tools: [work, pay, locate, handoffTool],
    handoffs: ["specialist"],
  };
  const specialist: Agent<unknown, unknown> = { name: "specialist", instructions: () => "", tools: [work] };
  return new Map([helper, specialist].map((agent) => [agent.name, agent]));
}

interface Use {
  readonly ticks?: number;
  readonly needsApproval?: boolean;
}

/** Makes parallel tools end in another order than they began. */
async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
}
