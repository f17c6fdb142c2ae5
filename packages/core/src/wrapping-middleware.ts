import type { Agent } from "./agent.ts";
import type { RunConfig } from "./config.ts";
import type { Middleware } from "./middleware/middleware.ts";

type Hook = "wrapModelCall" | "wrapToolCall";

/** Those of the run's and then the agent's middleware that have the hook; `undefined` where none has. */
export function wrapping<Ctx, Name extends Hook>(
  config: Pick<RunConfig<Ctx>, "middleware">,
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  agent: Pick<Agent<Ctx, any>, "middleware">,
  hook: Name,
): readonly Middleware<Ctx>[] | undefined {
  const { middleware: ofRun } = config;
  const { middleware: ofAgent } = agent;
  if (ofRun === undefined && ofAgent === undefined) return undefined;
  const all = [...(ofRun ?? []), ...(ofAgent ?? [])].filter((each) => each[hook] !== undefined);
  return all.length === 0 ? undefined : all;
}
