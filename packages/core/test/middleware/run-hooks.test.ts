import { AsyncLocalStorage } from "node:async_hooks";
import { createInMemoryProvider } from "@jaf/memory";
import { expect, it, vi } from "vitest";
import { type Middleware, run, type WrappedRun } from "../../src/index.ts";
import { agentTree, asks, NAMES } from "../support/agent-tree.ts";
import { says, setup } from "../support/setup.ts";

const context = new AsyncLocalStorage<string>();

it("a wrapRun hook sets the context of all that a run calls", async () => {
  const seen: unknown[] = [];
  const provider = createInMemoryProvider();
  const middleware: Middleware<unknown> = {
    name: "trace",
    wrapRun: ({ agentName, conversationId }, next) => context.run(`${agentName} in ${conversationId}`, next),
  };
  const { config } = setup({
    model: {
      getCompletion: async () => {
        seen.push(context.getStore());
        return { message: { content: "Hello." } };
      },
    },
    config: {
      middleware: [middleware],
      conversationId: "c",
      memory: {
        provider: {
          ...provider,
          appendMessages: (...args) => {
            seen.push(context.getStore());
            return provider.appendMessages(...args);
          },
        },
        autoStore: true,
      },
    },
  });
  expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
  expect(new Set(seen)).toEqual(new Set(["helper in c"]));
  expect(context.getStore()).toBeUndefined();
});

it("wrapRun hooks wrap the runs of agents that are tools", async () => {
  const runs: WrappedRun[] = [];
  const trace: Middleware<unknown> = {
    name: "trace",
    wrapRun: (wrapped, next) => {
      runs.push(wrapped);
      context.run(`${context.getStore() ?? ""}/${wrapped.agentName}`, next);
    },
  };
  const entered: unknown[] = [];
  const wrapModelCall: Middleware<unknown>["wrapModelCall"] = (_, next) => {
    entered.push(context.getStore());
    return next();
  };
  const tree = agentTree({
    provider: createInMemoryProvider(),
    asking: [],
    config: { middleware: [trace, { name: "model", wrapModelCall }] },
  });
  expect((await run(asks({ role: "user", content: "Go" }), tree.config)).outcome.status).toBe("completed");
  expect(runs.map(({ agentName }) => agentName)).toEqual(NAMES);
  expect(new Set(entered)).toEqual(new Set(["/front", "/front/expert", "/front/expert/intern"]));
});

it.each<readonly [string, Middleware<unknown>["wrapRun"]]>([
  ["doesn't call next", () => undefined],
  [
    "calls next twice",
    (_, next) => {
      next();
      next();
    },
  ],
  [
    "throws",
    () => {
      throw new Error("bad hook");
    },
  ],
])("a run goes on once if a wrapRun hook %s", async (_, wrapRun) => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
  const { config } = setup({
    model: ["Hello."],
    config: { middleware: [{ name: "bad", ...(wrapRun && { wrapRun }) }] },
  });
  expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
  expect(warn.mock.calls.map(([message]) => message)).toEqual(
    wrapRun?.length === 0 && String(wrapRun).includes("throw")
      ? ["A wrapRun hook failed; the run continues."]
      : [],
  );
  warn.mockRestore();
});
