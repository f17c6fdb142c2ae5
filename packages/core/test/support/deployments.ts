import { createInMemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import * as z from "zod";
import {
  type Agent,
  type AgentToolOptions,
  type approve,
  asTool,
  createTool,
  type OnToolChange,
  type RunConfig,
  run,
  type Tool,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedCall, type ScriptedFunction } from "../../src/testing/index.ts";
import { says, setup } from "./setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
export type AnyTool = Tool<any, unknown>;
export type Where = "own" | "nested";

export const PAY: ScriptedCall = { id: "p", name: "pay", arguments: { to: "Bob" } };
export const SHOWN = { cents: 100, to: "Bob" };

/** Calls the tools after the message "Pay", answers others with "Fine.", and repeats results. */
const calls =
  (...toolCalls: readonly ScriptedCall[]): ScriptedFunction<unknown> =>
  ({ state: { messages } }) => {
    const last = messages.at(-1);
    if (last?.role === "user") return messageText(last) === "Pay" ? { toolCalls } : "Fine.";
    const start = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    return messages.slice(start).map(messageText).join("; ");
  };

interface Deployment {
  readonly tools: readonly AnyTool[];
  readonly onToolChange?: OnToolChange;
  readonly provider?: VersionedMemoryProvider;
  readonly config?: Partial<RunConfig<unknown>>;
  /** The tool that runs the agent of the tools. */
  readonly asking?: Pick<AgentToolOptions<unknown>, "name" | "description" | "needsApproval">;
}

/** Deployments that share only the store. The tools belong to the run's agent, or to an agent that is its tool. */
export function world(where: Where, toolCalls: readonly ScriptedCall[] = [PAY]) {
  const store = createInMemoryProvider();
  const deploy = ({ tools, onToolChange, provider = store, config = {}, asking }: Deployment) => {
    const expert: Agent<unknown, string> = { name: "expert", instructions: "", tools };
    const other: Agent<unknown, string> = { name: "other", instructions: "", tools };
    const ask: ScriptedCall = { id: "a", name: "expert", arguments: { task: "Pay" } };
    const byAgent = { own: calls(...toolCalls), nested: calls(ask) };
    const model = createScriptedModel<unknown>((request) =>
      request.agent.name === "helper" ? byAgent[where](request) : calls(...toolCalls)(request),
    );
    const { config: runConfig, events } = setup({
      model,
      tools:
        where === "own"
          ? tools
          : [asTool(expert, { description: "", ...asking, agents: new Map([["other", other]]) })],
      otherAgents: [other],
      config: {
        memory: { provider, autoStore: true, durability: "step" },
        conversationId: "c",
        ...(onToolChange && { onToolChange }),
        ...config,
      },
    });
    return {
      model,
      events,
      says: (...messages: readonly string[]) => run(says(...messages), runConfig),
      decide: (...approvals: readonly ReturnType<typeof approve>[]) =>
        run(says(), { ...runConfig, resume: { approvals } }),
    };
  };
  return { store, deploy };
}

export interface Paying {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: z.ZodType;
  readonly needsApproval?: boolean;
}

export function paying({ name = "pay", description = "Pays", needsApproval = true, ...rest }: Paying = {}) {
  const { parameters = z.object({ cents: z.number().default(100), to: z.string() }) } = rest;
  const paid: unknown[] = [];
  const tool: AnyTool = createTool({
    ...{ name, description, parameters, needsApproval },
    execute: (args) => {
      paid.push(args);
      return "paid";
    },
  });
  return { tool, paid };
}
