import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  approve,
  createTool,
  type Middleware,
  run,
  type ToolCallInfo,
  type ToolCallRequest,
} from "../../src/index.ts";
import { abortable } from "../support/abort.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

type Wrap = NonNullable<Middleware<unknown>["wrapToolCall"]>;

const wrapper = (wrapToolCall: Wrap): Middleware<unknown> => ({ name: "wrapper", wrapToolCall });

function wrapped(wrap: Wrap | readonly Wrap[], execute = vi.fn(async ({ n }: { n: number }) => `n is ${n}`)) {
  const tool = createTool({
    name: "count",
    description: "",
    parameters: z.object({ n: z.number() }),
    execute,
  });
  const middleware = [wrap].flat().map(wrapper);
  const model = [{ toolCalls: [{ name: "count", arguments: { n: 1 } }] }, "Done."];
  return { execute, tool, ...setup({ model, tools: [tool], config: { middleware } }) };
}

const resultsOf = (ended: Awaited<ReturnType<typeof run>>) =>
  ended.finalState.messages.filter(({ role }) => role === "tool").map(({ content }) => content);

describe("wrapToolCall", () => {
  it("gets the same call as the tool", async () => {
    let seen: ToolCallRequest<unknown> | undefined;
    let info: ToolCallInfo | undefined;
    const execute = vi.fn(async (_args: { n: number }, _context?: unknown, call?: ToolCallInfo) => {
      info = call;
      return "ok";
    });
    const { config } = wrapped((request, next) => {
      seen = request;
      return next();
    }, execute);
    const state = says("Hi");
    await run(state, config);
    expect(seen).toEqual({ ...info, toolName: "count", args: { n: 1 }, context: {} });
    expect(seen).toMatchObject({ toolCallId: "call_1", agentName: "helper", runId: state.runId });
    expect(Object.isFrozen(seen)).toBe(true);
  });

  it("changes the arguments and the result, which the model and the events get", async () => {
    const { config, events } = wrapped(async (_request, next) => `${await next({ args: { n: 2 } })}!`);
    expect(resultsOf(await run(says("Hi"), config))).toEqual(["n is 2!"]);
    expect(eventsOfType(events, "tool_call_end")[0]?.result).toBe("n is 2!");
  });

  it("answers without running the tool", async () => {
    const { config, execute } = wrapped(() => ({ status: "permission_denied" }));
    expect(resultsOf(await run(says("Hi"), config))).toEqual(['{"status":"permission_denied"}']);
    expect(execute).not.toHaveBeenCalled();
  });

  it("wraps in order, the first outermost, and can call next again", async () => {
    const order: string[] = [];
    const noting =
      (name: string): Wrap =>
      async (_request, next) => {
        order.push(name);
        return next();
      };
    const retrying: Wrap = async (_request, next) => next().catch(() => next());
    const execute = vi.fn(async () => "second time").mockRejectedValueOnce(new Error("first time"));
    const { config } = wrapped([noting("outer"), retrying, noting("inner")], execute);
    expect(resultsOf(await run(says("Hi"), config))).toEqual(["second time"]);
    expect(order).toEqual(["outer", "inner", "inner"]);
    expect(new Set(execute.mock.calls.map((call) => (call as unknown[])[2]))).toHaveProperty("size", 1);
  });

  it("handles its errors like the tool's", async () => {
    const { config } = wrapped(() => {
      throw new Error("not on Sundays");
    });
    expect(resultsOf(await run(says("Hi"), config))[0]).toContain("not on Sundays");
    const failing = errorOf(
      await run(says("Hi"), {
        ...wrapped(() => Promise.reject(new Error("no"))).config,
        onToolError: "fail",
      }),
    );
    expect(failing).toEqual({ _tag: "ToolCallError", tool: "count", detail: "no" });
  });

  it("has the tool's time limit, and starts nothing after it", async () => {
    let late: Promise<unknown> | undefined;
    const { config, execute } = wrapped((_request, next) => {
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => next());
      late.catch(() => {});
      return late as Promise<string>;
    });
    const ended = await run(says("Hi"), { ...config, timeouts: { toolMs: 5 } });
    expect(resultsOf(ended)[0]).toContain("TIMEOUT");
    await expect(late).rejects.toThrow();
    expect(execute).not.toHaveBeenCalled();
  });

  it("can't run the tool once it has answered", async () => {
    let late: Promise<unknown> | undefined;
    const { config, execute } = wrapped((_request, next) => {
      late = new Promise((resolve) => setTimeout(resolve, 5)).then(() => next());
      late.catch(() => {});
      return "answered";
    });
    expect(resultsOf(await run(says("Hi"), config))).toEqual(["answered"]);
    await expect(late).rejects.toThrow("too late");
    expect(execute).not.toHaveBeenCalled();
  });

  it("isn't waited for when the run is aborted", async () => {
    const { signal, abort } = abortable();
    const { config } = wrapped(() => {
      abort();
      return new Promise<never>(() => {});
    });
    expect(errorOf(await run(says("Hi"), { ...config, signal }))._tag).toBe("RunAborted");
  });

  it("wraps only calls that run, not those of unknown tools or with invalid arguments", async () => {
    const wrap = vi.fn<Wrap>((_request, next) => next());
    const { config } = setup({
      model: [{ toolCalls: [{ name: "none" }, { name: "count", arguments: { n: "x" } }] }, "Done."],
      tools: [wrapped([]).tool],
      config: { middleware: [wrapper(wrap)] },
    });
    await run(says("Hi"), config);
    expect(wrap).not.toHaveBeenCalled();
  });

  it("wraps an approved call when the run resumes", async () => {
    const wrap = vi.fn<Wrap>(async (_request, next) => `wrapped ${await next()}`);
    const tool = createTool({
      name: "pay",
      description: "",
      parameters: z.object({}),
      needsApproval: true,
      execute: () => "paid",
    });
    const { config } = setup({
      model: [{ toolCalls: [{ name: "pay" }] }, "Done."],
      tools: [tool],
      config: {
        memory: { provider: createInMemoryProvider(), autoStore: true },
        conversationId: "c",
        middleware: [wrapper(wrap)],
      },
    });
    const { outcome } = await run(says("Hi"), config);
    expect(wrap).not.toHaveBeenCalled();
    const waiting = outcome.status === "interrupted" ? outcome.interruptions : [];
    const approvals = waiting.map((each) => approve(each as Parameters<typeof approve>[0]));
    const ended = await run(says(), { ...config, resume: { approvals } });
    expect(resultsOf(ended)).toEqual(["wrapped paid"]);
  });
});
