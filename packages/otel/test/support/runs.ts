import { type Agent, createRunState, createTool, type ModelProvider, type RunConfig } from "@jaf/core";
import { createScriptedModel, type ScriptedFunction, type ScriptedStep } from "@jaf/core/testing";
import type { Message } from "@jaf/memory";
import * as z from "zod";

export const look = createTool({
  name: "look_up",
  description: "Looks up an order.",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => `order ${id}`,
});

/** An agent with a tool, whose model follows a script. */
export function support(
  model: readonly ScriptedStep<unknown>[] | ScriptedFunction<unknown> | ModelProvider<unknown>,
  agent: Partial<Agent<unknown, unknown>> = {},
): RunConfig<unknown> {
  const own: Agent<unknown, unknown> = {
    name: "support",
    instructions: "Help.",
    tools: [look],
    modelConfig: { name: "large" },
    ...agent,
  };
  return {
    agentRegistry: new Map([[own.name, own]]),
    modelProvider:
      "getCompletion" in model ? model : createScriptedModel(model as readonly ScriptedStep<unknown>[]),
    modelRetry: { baseDelayMs: 0 },
  };
}

export const asks = (content: string) => says({ role: "user", content });

export const says = (...messages: readonly Message[]) =>
  createRunState<unknown>({ agentName: "support", context: {}, messages });

/** A model's step that calls the tool. */
export const calls = { toolCalls: [{ id: "call_1", name: "look_up", arguments: { id: "7" } }] } as const;
