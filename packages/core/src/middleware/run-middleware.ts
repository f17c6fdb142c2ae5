import * as z from "zod";
import { abortable } from "../limits/abort.ts";
import type { Middleware, MiddlewareTurn, PromptAddition } from "../middleware.ts";
import { fail, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { reasonOf } from "../thrown.ts";
import { emitFailure, faultOf, type HookName, hasMiddleware, install } from "./install.ts";
import { openTurn } from "./middleware-turn.ts";

/** The middleware of a run that has begun. */
export interface RunMiddleware<Ctx> {
  /**
   * Calls the `onStart` hooks of all middleware and resolves with the run's progress. Never rejects: invalid middleware
   * is an error outcome.
   */
  readonly start: () => Promise<RunProgress<Ctx>>;
  /** Returns the texts that the `onStart` hooks add to the prompts, in the order of the middleware. */
  readonly additions: () => readonly PromptAddition[];
  /** Calls the `onFinish` hooks with the reply that the state ends with. Never rejects. */
  readonly finish: (state: RunState<Ctx>) => Promise<void>;
}

/** Opens the middleware of a run. Returns `undefined` if no hook needs to be called. */
export function openRunMiddleware<Ctx>(
  scope: RunScope<Ctx>,
  progress: RunProgress<Ctx>,
): RunMiddleware<Ctx> | undefined {
  const { state, outcome } = progress;
  if (outcome !== undefined && outcome.status !== "completed") return undefined;
  const agent = scope.config.agentRegistry.get(state.currentAgentName);
  if (agent === undefined || !hasMiddleware(scope.config, agent)) return undefined;
  const isReplied = outcome !== undefined;
  const asking = { context: state.context, hook: isReplied ? "onFinish" : "onStart" } as const;
  let all: readonly Middleware<Ctx>[] = [];
  let turn: MiddlewareTurn<Ctx> | undefined;
  let additions: readonly PromptAddition[] = [];

  return {
    start: async () => {
      try {
        all = await install(scope, agent, asking);
      } catch (thrown) {
        return fail(state, faultOf(thrown));
      }
      if (all.length === 0) return progress;
      turn = openTurn(scope, { state, agent, isReplied });
      if (!isReplied) additions = await startAll(scope, all, turn);
      return progress;
    },
    additions: () => additions,
    finish: async ({ messages }) => {
      const reply = messages.at(-1);
      const begun = turn;
      if (begun === undefined || reply === undefined) return;
      // The lease is no longer needed, so runs that wait for it don't have to wait for the hooks.
      scope.leave();
      const hooks = all.map((each) =>
        guarded(scope, { name: each.name, hook: "onFinish" }, () => each.onFinish?.(begun, reply)),
      );
      await untilAborted(scope, Promise.all(hooks));
    },
  };
}

async function startAll<Ctx>(
  scope: RunScope<Ctx>,
  all: readonly Middleware<Ctx>[],
  turn: MiddlewareTurn<Ctx>,
): Promise<readonly PromptAddition[]> {
  if (scope.config.signal?.aborted === true) return [];
  const added = all.map((each) => start(scope, each, turn));
  return (await untilAborted(scope, Promise.all(added)))?.flat() ?? [];
}

const additionSchema = z
  .object({ instructions: z.string().nullish(), beforeNewestMessage: z.string().nullish() })
  .nullish();

async function start<Ctx>(
  scope: RunScope<Ctx>,
  middleware: Middleware<Ctx>,
  turn: MiddlewareTurn<Ctx>,
): Promise<readonly PromptAddition[]> {
  const called = { name: middleware.name, hook: "onStart" } as const;
  const parsed = await guarded(scope, called, async () =>
    additionSchema.safeParse(await middleware.onStart?.(turn)),
  );
  if (parsed?.success === false) emitFailure(scope, called, "it returned no TurnAddition");
  const { instructions, beforeNewestMessage } = parsed?.data ?? {};
  const { name } = middleware;
  return [
    ...(instructions ? [{ name, placement: "instructions", text: instructions } as const] : []),
    ...(beforeNewestMessage
      ? [{ name, placement: "before-newest-message", text: beforeNewestMessage } as const]
      : []),
  ];
}

/** Calls a hook. If the hook throws, emits `middleware_failed` and resolves with `undefined`. Never rejects. */
async function guarded<Ctx, T>(
  scope: RunScope<Ctx>,
  called: HookName,
  hook: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await hook();
  } catch (thrown) {
    emitFailure(scope, called, reasonOf(thrown));
    return undefined;
  }
}

const untilAborted = <Ctx, T>({ config }: RunScope<Ctx>, work: Promise<T>): Promise<T | undefined> =>
  abortable(work, config.signal).catch(() => undefined);
