import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import * as z from "zod";
import {
  type Agent,
  type ApprovalRequest,
  createTool,
  type Interruption,
  type MemoryConfig,
  type RunConfig,
  type RunResult,
  run,
  type Tool,
} from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { says, setup } from "./setup.ts";

interface World {
  readonly provider?: MemoryProvider;
  readonly memory?: Partial<MemoryConfig>;
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tools?: readonly Tool<any, unknown>[];
  readonly agent?: Partial<Agent<unknown, unknown>>;
}

/**
 * A shop: `pay` needs an approval for more than 10, `locate` runs at the client, and `look` runs directly. Each `process`
 * stands for a new process, which shares only the store.
 */
export function shop({
  provider = createInMemoryProvider(),
  memory = {},
  tools = [],
  agent = {},
}: World = {}) {
  const executed: string[] = [];
  const pay = createTool({
    name: "pay",
    description: "",
    parameters: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 10,
    execute: ({ amount }) => {
      executed.push(`pay ${amount}`);
      return `paid ${amount}`;
    },
  });
  const look = createTool({
    name: "look",
    description: "",
    parameters: z.object({}),
    execute: () => {
      executed.push("look");
      return "seen";
    },
  });
  const locate = createTool({ name: "locate", description: "", parameters: z.object({}) });

  const other: Agent<unknown, unknown> = { name: "other", instructions: () => "" };

  const configOf = (steps: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) =>
    setup({
      model: steps,
      agent,
      otherAgents: [other],
      tools: [pay, look, locate, ...tools],
      config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c", ...config },
    }).config;

  const process = (
    steps: readonly ScriptedStep<unknown>[],
    messages: readonly string[],
    config: Partial<RunConfig<unknown>> = {},
  ): Promise<RunResult<unknown>> => run(says(...messages), configOf(steps, config));

  return { provider, executed, process, configOf };
}

export const paying = (amount: number, id = "p") => ({ name: "pay", id, arguments: { amount } });
export const looking = { name: "look", id: "l" };
export const locating = { name: "locate", id: "w" };

/** Fails the test unless the run was interrupted. */
export function interruptionsOf({ outcome }: RunResult<unknown>): readonly Interruption[] {
  if (outcome.status !== "interrupted") throw new Error(`the run ended so: ${JSON.stringify(outcome)}`);
  return outcome.interruptions;
}

/** The only thing that the run waits for. */
export function approvalOf(result: RunResult<unknown>): ApprovalRequest {
  const [first, second] = interruptionsOf(result);
  if (first?.type !== "approval" || second !== undefined) throw new Error("not one approval is waited for");
  return first;
}
