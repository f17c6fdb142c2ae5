import type { Middleware } from "../middleware/middleware.ts";
import type { TimeLimit } from "../timing/time-limit.ts";
import type { ToolReturn } from "./create-tool.ts";
import type { NextToolCall, ToolCallRequest } from "./tool-call-request.ts";

type Next<Ctx> = (request: ToolCallRequest<Ctx>) => Promise<ToolReturn>;

interface Wrapping<Ctx> {
  readonly hooks: readonly Middleware<Ctx>[];
  /** Of the call; it is closed by whoever opened it. */
  readonly limit: TimeLimit;
  readonly execute: (args: unknown) => Promise<ToolReturn>;
}

/** Runs a tool by way of the middleware. Rejects with what the hooks or the tool throw. */
export async function executeWrapped<Ctx>(
  request: ToolCallRequest<Ctx>,
  { hooks, limit, execute }: Wrapping<Ctx>,
): Promise<ToolReturn> {
  let isOver = false;
  const run: Next<Ctx> = async ({ args }) => {
    limit.signal.throwIfAborted();
    // A call that has its result must not run again.
    if (isOver) throw new Error("the call is over: next() came too late");
    return execute(args);
  };
  try {
    return await hooks.reduceRight<Next<Ctx>>((next, hook) => wrappedBy(hook, next), run)(request);
  } finally {
    isOver = true;
  }
}

/** A hook is called on its middleware, which may be an instance of a class. */
const wrappedBy =
  <Ctx>(hook: Middleware<Ctx>, next: Next<Ctx>): Next<Ctx> =>
  async (request) => {
    const go: NextToolCall = async (changes) =>
      next(changes === undefined ? request : Object.freeze({ ...request, args: changes.args }));
    // Only those that have one are here.
    return hook.wrapToolCall === undefined ? go() : hook.wrapToolCall(request, go);
  };
