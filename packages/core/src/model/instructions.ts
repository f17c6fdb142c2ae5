import { describeCause } from "@jaf/memory/engine";
import type { Agent } from "../agent.ts";
import type { RunScope } from "../engine/run-scope.ts";
import type { JAFError } from "../errors.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import { runAborted } from "../timing/abort.ts";
import { modelLimit } from "../timing/limits.ts";
import { openTimeLimit } from "../timing/time-limit.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;

export type Instructions =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: JAFError };

/** Never rejects. */
export async function resolveInstructions<Ctx>(
  { config }: RunScope<Ctx>,
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): Promise<Instructions> {
  const limit = openTimeLimit(modelLimit(config, agent), config.signal);
  try {
    const text: unknown = await limit.race(instructionsFor(agent, state));
    return typeof text === "string" ? { ok: true, text } : { ok: false, error: failure(state, noText()) };
  } catch (thrown) {
    const { signal } = config;
    return { ok: false, error: signal?.aborted === true ? runAborted(signal) : failure(state, thrown) };
  } finally {
    limit.close();
  }
}

const noText = () => new TypeError("expected a text");

const failure = <Ctx>({ currentAgentName }: Readonly<RunState<Ctx>>, thrown: unknown): JAFError => ({
  _tag: "InternalError",
  detail: `the instructions of agent "${currentAgentName}" failed`,
  cause: describeCause(thrown),
});

/** The agent's instructions for a state. A function is called on the agent. */
function instructionsFor<Ctx>(
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
