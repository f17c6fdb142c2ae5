import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run, type ToolCallInfo, ToolErrorCodes } from "../../src/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { answersTo, answerTo, resultOf, returning } from "../support/tool-answers.ts";

const greet = createTool({
  name: "greet",
  description: "",
  parameters: z.object({ name: z.string().min(2), title: z.string().default("Dr.") }),
  execute: ({ name, title }) => `${title} ${name}`,
});

describe("a tool's arguments", () => {
  it("are parsed by its schema, defaults applied", async () => {
    expect(await answerTo({ name: "greet", arguments: { name: "Ada" } }, greet)).toBe("Dr. Ada");
  });

  it("are {} when the model sends no text", async () => {
    expect(await answerTo({ name: "tool", arguments: "" }, returning("ok"))).toBe("ok");
  });

  it("are answered with the issues and their paths if they don't match", async () => {
    expect(await resultOf({ name: "greet", arguments: { name: "A", title: 5 } }, greet)).toEqual({
      status: "error",
      error: {
        code: ToolErrorCodes.INVALID_INPUT,
        message: expect.stringContaining("do not match"),
        details: {
          issues: [
            { path: "name", code: "too_small", message: expect.any(String) },
            { path: "title", code: "invalid_type", message: expect.any(String) },
          ],
        },
      },
    });
  });

  it("are answered with an error if they aren't JSON, so the model can correct itself", async () => {
    const result = await resultOf({ name: "greet", arguments: '{"name": "Ad' }, greet);
    expect(result).toMatchObject({
      status: "error",
      error: { code: "INVALID_INPUT", message: /not valid JSON/ },
    });
  });

  it("can have an async schema", async () => {
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({ id: z.string().refine(async (id) => id === "known", "unknown id") }),
      execute: ({ id }) => `found ${id}`,
    });
    expect(await answerTo({ name: "tool", arguments: { id: "known" } }, tool)).toBe("found known");
    expect(await resultOf({ name: "tool", arguments: { id: "x" } }, tool)).toMatchObject({
      error: { details: { issues: [{ path: "id", message: "unknown id" }] } },
    });
  });

  it("are checked once by an async schema, and a rejection doesn't crash the process", async () => {
    let checked = 0;
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({
        id: z.string().refine(async () => {
          checked += 1;
          throw new Error("the registry of ids is down");
        }),
      }),
      execute: () => "never",
    });
    const result = await resultOf({ name: "tool", arguments: { id: "a" } }, tool);
    expect(result).toMatchObject({
      error: { code: "INVALID_INPUT", message: "the registry of ids is down" },
    });
    expect(checked).toBe(1);
  });

  it("are refused when the schema itself throws", async () => {
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}).transform((): object => {
        throw new Error("a bug in the schema");
      }),
      execute: () => "never",
    });
    expect(await resultOf({ name: "tool" }, tool)).toMatchObject({
      error: { message: "a bug in the schema" },
    });
  });

  it("reach the schema as data if named __proto__", async () => {
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}).loose(),
      execute: (args) => JSON.stringify({ polluted: "admin" in args }),
    });
    expect(await answerTo({ name: "tool", arguments: '{"__proto__":{"admin":true}}' }, tool)).toBe(
      '{"polluted":false}',
    );
  });
});

describe("a call of an unknown tool", () => {
  it("is answered with the names of the agent's tools", async () => {
    expect(await resultOf({ name: "gret" }, greet)).toMatchObject({
      status: "error",
      error: { code: ToolErrorCodes.TOOL_NOT_FOUND, message: expect.stringContaining("greet") },
    });
  });

  it.each(["toString", "__proto__", "constructor"])("isn't mistaken for a property: %s", async (name) => {
    expect(await resultOf({ name }, greet)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });

  it("is in the events like any other call", async () => {
    const { events } = await answersTo([{ name: "nope", arguments: { a: 1 } }], []);
    expect(eventsOfType(events, "tool_call_start")).toEqual([
      { toolName: "nope", args: { a: 1 }, toolCallId: "call_1" },
    ]);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ status: "error" }]);
  });
});

describe("the call info of a tool", () => {
  it("has the call, run, trace, agent, a signal, and an idempotency key", async () => {
    const calls: (ToolCallInfo | undefined)[] = [];
    const spy = createTool({
      name: "spy",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        calls.push(call);
        return "ok";
      },
    });
    // The same id in every turn, as some providers do.
    const again = {
      toolCalls: [
        { name: "spy", id: "same" },
        { name: "spy", id: "other" },
      ],
    };
    const { config } = setup({ model: [again, again, "done"], tools: [spy] });
    const state = says("Hi");
    await run(state, config);
    expect(calls).toHaveLength(4);
    expect(calls[0]).toMatchObject({
      toolCallId: "same",
      runId: state.runId,
      traceId: state.traceId,
      agentName: "helper",
      signal: expect.any(AbortSignal),
    });
    expect(new Set(calls.map((call) => call?.idempotencyKey)).size).toBe(4);
  });

  it("has its own signal, which is aborted with the run", async () => {
    const { signal, abort } = abortable();
    const seen: (AbortSignal | undefined)[] = [];
    const spy = createTool({
      name: "spy",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        seen.push(call?.signal);
        if (seen.length === 2) abort();
        return "ok";
      },
    });
    const { config } = setup({
      model: [{ toolCalls: [{ name: "spy" }, { name: "spy" }] }],
      tools: [spy],
      config: { signal },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(seen.map((each) => each?.reason)).toEqual([signal.reason, signal.reason]);
    expect(new Set([signal, ...seen]).size).toBe(3);
  });
});
