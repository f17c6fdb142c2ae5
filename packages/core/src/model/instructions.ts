import { describeCause } from "@jaf/memory/engine";
import type { Agent } from "../agent.ts";
import type { RunScope } from "../engine/run-scope.ts";
import type { JAFError } from "../errors.ts";
import type { RunState } from "../state.ts";
import { isThenable } from "../thenable.ts";
import { runAborted } from "../timing/abort.ts";
import { modelLimit } from "../timing/limits.ts";
import { openTimeLimit } from "../timing/time-limit.ts";
import { instructionsFor } from "./resolved-agent.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;

export type Instructions =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: JAFError };

/** Never rejects. Nothing is awaited where the instructions are there at once. */
export function resolveInstructions<Ctx>(
  scope: RunScope<Ctx>,
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): Instructions | Promise<Instructions> {
  const failed = (thrown: unknown): Instructions => ({ ok: false, error: failure(state, thrown) });
  try {
    const given: unknown = instructionsFor(agent, state);
    if (isThenable(given)) return waitFor(scope, agent, { given, state });
    return typeof given === "string" ? { ok: true, text: given } : failed(noText());
  } catch (thrown) {
    return failed(thrown);
  }
}

async function waitFor<Ctx>(
  { config }: RunScope<Ctx>,
  agent: AnyAgent<Ctx>,
  { given, state }: { readonly given: PromiseLike<unknown>; readonly state: Readonly<RunState<Ctx>> },
): Promise<Instructions> {
  const limit = openTimeLimit(modelLimit(config, agent), config.signal);
  try {
    const text = await limit.race(given);
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
