import type { Agent, ResolvedAgent } from "../agent.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import type { ModelConfig } from "./model-config.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;

/** The agent's instructions for a state; a promise only where they are async. A function is called on the agent. */
export function instructionsFor<Ctx>(
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): string | Promise<string> {
  return typeof agent.instructions === "function" ? agent.instructions(state) : agent.instructions;
}

/** The agent with this text as its instructions, and maybe with other settings; frozen. */
export function resolved<Ctx>(
  agent: AnyAgent<Ctx>,
  instructions: string,
  modelConfig: ModelConfig | undefined = agent.modelConfig,
): ResolvedAgent<Ctx> {
  const settings = modelConfig === agent.modelConfig ? {} : { modelConfig };
  const made = overlay(agent, { instructions: () => instructions, ...settings });
  return Object.freeze(made) as ResolvedAgent<Ctx>;
}
