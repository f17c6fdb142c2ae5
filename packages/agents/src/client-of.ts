import { type AgentClient, createAgentClient } from "@jaf/core";
import type { Agent } from "./agent.ts";
import { AiRegistry } from "./registry/ai-registry.ts";
import { resolveModel } from "./registry/registered.ts";

/** Throws a `TypeError` if the agent's model isn't registered, and for what `createAgentClient` refuses. */
export function clientOf<Context, Output>(agent: Agent<Context, Output>): AgentClient<Output, Context> {
  const value = agent.toValue();
  const config = agent.config?.() ?? {};
  // At once, since a failure of the model's call would be an outcome.
  if (config.modelProvider === undefined) resolveModel(config.modelOverride ?? value.modelConfig?.name);
  return createAgentClient(value, {
    modelProvider: AiRegistry.modelProvider,
    context: {} as Readonly<Context>,
    ...config,
  });
}
