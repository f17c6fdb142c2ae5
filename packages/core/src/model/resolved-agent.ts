import type { Agent, ResolvedAgent } from "../agent.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import type { ModelConfig } from "./model-config.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;

/** The agent's instructions for a state. A function is called on the agent. */
export function instructionsFor<Ctx>(
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): string | Promise<string> {
  return typeof agent.instructions === "function" ? agent.instructions(state) : agent.instructions;
}

/** The agent with additions after its instructions; the same agent if there are none. */
export function instructed<Ctx, Out>(agent: Agent<Ctx, Out>, additions: readonly string[]): Agent<Ctx, Out> {
  if (additions.length === 0) return agent;
  const instructions: Agent<Ctx, Out>["instructions"] = async (state) => {
    const own = await instructionsFor(agent, state);
    // Anything but a text is reported later, and not joined.
    return typeof own === "string" ? [own, ...additions].join("\n\n") : own;
  };
  return overlay(agent, { instructions });
}

interface Made {
  readonly instructions: string;
  readonly modelConfig: ModelConfig | undefined;
  readonly agent: object;
}

/** What was made of an agent last: most agents say the same in each call, and to make a copy costs more than all the rest. */
const made = new WeakMap<object, Made>();

/** The agent with this text as its instructions, and maybe with other settings; frozen. */
export function resolved<Ctx>(
  agent: AnyAgent<Ctx>,
  instructions: string,
  modelConfig: ModelConfig | undefined = agent.modelConfig,
): ResolvedAgent<Ctx> {
  const last = made.get(agent);
  if (last !== undefined && last.instructions === instructions && last.modelConfig === modelConfig) {
    return last.agent as ResolvedAgent<Ctx>;
  }
  const settings = modelConfig === agent.modelConfig ? {} : { modelConfig };
  const copy = Object.freeze(overlay(agent, { instructions: () => instructions, ...settings }));
  made.set(agent, { instructions, modelConfig, agent: copy });
  return copy as ResolvedAgent<Ctx>;
}
