import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import type { JAFError } from "../errors.ts";
import { middlewareFault } from "../middleware/check.ts";
import { cacheableFault } from "../model/cache.ts";
import { settingsFault } from "../model/settings.ts";
import { agentLimitFault } from "../timing/limits.ts";

export type FoundAgent<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  { readonly ok: true; readonly agent: Agent<Ctx, any> } | { readonly ok: false; readonly error: JAFError };

/** The agent under a registry key, which needn't be its `name`, if its configuration is valid. */
export function findAgent<Ctx>({ agentRegistry }: RunConfig<Ctx>, agentName: string): FoundAgent<Ctx> {
  const agent = agentRegistry.get(agentName);
  if (agent === undefined) return { ok: false, error: { _tag: "AgentNotFound", agentName } };
  const twice = sharedToolName(agent);
  const { modelConfig, tools, middleware, cacheable } = agent;
  const fault =
    agentLimitFault(agent) ??
    settingsFault(modelConfig, (name) => tools?.some(({ schema }) => schema.name === name) === true) ??
    middlewareFault(middleware, "Agent.middleware") ??
    cacheableFault(cacheable);
  if (twice === undefined && fault === undefined) return { ok: true, agent };
  const detail =
    twice === undefined
      ? `agent "${agentName}": ${fault}`
      : `agent "${agentName}" has two tools named "${twice}"`;
  return { ok: false, error: { _tag: "InternalError", detail } };
}

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
function sharedToolName<Ctx>({ tools = [] }: Agent<Ctx, any>): string | undefined {
  if (tools.length < 2) return undefined;
  const names = new Set<string>();
  for (const { schema } of tools) {
    if (names.has(schema.name)) return schema.name;
    names.add(schema.name);
  }
  return undefined;
}
