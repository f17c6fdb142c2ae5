import { present } from "@jaf/memory/internal";
import type { RunConfig } from "../run-config.ts";
import type { RunState } from "../state.ts";
import { callObserver } from "../thrown.ts";

type Configured<Ctx> = Pick<RunConfig<Ctx>, "middleware" | "conversationId">;

/** Calls `work` once, within the `wrapRun` hooks of `RunConfig.middleware`, and returns its promise. */
export function throughRunHooks<Ctx, T>(
  { middleware, conversationId }: Configured<Ctx>,
  { runId, traceId, currentAgentName: agentName }: RunState<Ctx>,
  work: () => Promise<T>,
): Promise<T> {
  // An invalid list is refused later.
  const hooks = Array.isArray(middleware) ? middleware.filter((each) => each?.wrapRun !== undefined) : [];
  if (hooks.length === 0) return work();
  const run = Object.freeze({ runId, traceId, agentName, ...present({ conversationId }) });
  let working: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    working ??= work();
    return working;
  };
  const through = hooks.reduceRight<() => void>(
    (next, hook) => () =>
      callObserver(
        () => hook.wrapRun?.(run, next),
        () => "A wrapRun hook failed; the run continues.",
      ),
    () => void begin(),
  );
  through();
  return begin();
}
