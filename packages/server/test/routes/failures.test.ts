import { inspect } from "node:util";
import { type Agent, createTool, type ModelProvider, type RunSettings, UserFacingError } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createFailure, createInMemoryProvider, createMemoryConnectionError } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { runServer, type ServerOptions, TurnFailedError } from "@jaf/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import type { Answer } from "../support/test-server.ts";

const SAID = "my secret question";

interface Failing extends Partial<RunSettings<unknown>> {
  readonly agent?: Partial<Agent<unknown, string>>;
  readonly options?: ServerOptions<unknown>;
}

/** Starts a server, asks it once, and returns the answer and what its log got. */
async function ask({ agent, options, ...config }: Failing) {
  const logged: unknown[] = [];
  const server = await runServer(
    [{ name: "clerk", instructions: "Help.", ...agent }],
    { modelProvider: createScriptedModel(["Hello."]), modelRetry: { maxAttempts: 1 }, ...config },
    {
      port: 0,
      ...{ defaultMemoryProvider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() },
      onError: (error) => logged.push(error),
      ...options,
    },
  );
  onTestFinished(server.close);
  const response = await fetch(`${server.url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: SAID }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"], logged };
}

const unreachable = () =>
  Object.assign(new Error("the database is down"), { code: "ECONNREFUSED", said: SAID });

function failsAt(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

const calling = () => createScriptedModel<unknown>([{ toolCalls: [{ name: "order" }] }, "Sorry."]);

const orderBy = (execute: () => never) => [
  createTool({ name: "order", description: "Orders.", parameters: z.object({}), execute }),
];

describe("a turn that fails", () => {
  it.each<[string, string, (thrown: unknown) => Failing]>([
    [
      "the model provider",
      "ModelCallError",
      (thrown) => ({ modelProvider: { getCompletion: failsAt(thrown) } as ModelProvider<unknown> }),
    ],
    ["the instructions", "InternalError", (thrown) => ({ agent: { instructions: failsAt(thrown) } })],
    [
      "middleware",
      "ModelCallError",
      (thrown) => ({ middleware: [{ name: "own", wrapModelCall: failsAt(thrown) }] }),
    ],
    [
      "a tool",
      "ToolCallError",
      (thrown) => ({
        agent: { tools: orderBy(failsAt(thrown)) },
        modelProvider: calling(),
        onToolError: "fail",
      }),
    ],
  ])("because of %s is in the log with its cause, which the client isn't told", async (_, code, failing) => {
    const thrown = unreachable();
    const { body, logged } = await ask(failing(thrown));
    expect(body.data).toMatchObject({ status: "error", error: { code } });
    expect(JSON.stringify(body.data.error)).not.toContain("database");
    const { conversationId, turnId } = body.data;
    expect(logged).toHaveLength(1);
    expect(logged[0]).toBeInstanceOf(TurnFailedError);
    expect(logged[0]).toMatchObject({ code, conversationId, turnId, agentName: "clerk" });
    const { cause } = logged[0] as TurnFailedError;
    expect(cause).toMatchObject({ name: "Error", message: thrown.message, code: "ECONNREFUSED" });
    expect((cause as Error).stack).toBe(thrown.stack);
    expect(cause).not.toHaveProperty("said");
  });

  it("is printed by default, with the stack and the causes of what was thrown", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const thrown = new Error("fetch failed", { cause: unreachable() });
    const { logged } = await ask({
      agent: { instructions: failsAt(thrown) },
      options: { onError: undefined } as never,
    });
    expect(logged).toEqual([]);
    expect(printed.mock.calls[0]?.[0]).toMatchObject({
      name: "TurnFailedError",
      cause: { message: "fetch failed", stack: thrown.stack, cause: { code: "ECONNREFUSED" } },
    });
  });

  it("is in the log without secrets, unless the configuration keeps them", async () => {
    const secret = "postgres://ada:hunter2-is-secret@db/main";
    const failing: readonly (() => Failing)[] = [
      () => ({ agent: { instructions: failsAt(new Error(`no ${secret}`, { cause: new Error(secret) })) } }),
      () => ({ middleware: [{ name: "own", wrapModelCall: failsAt(new Error(secret)) }] }),
      () => ({ agent: { tools: orderBy(failsAt(new Error(secret))) }, modelProvider: calling() }),
    ];
    for (const each of failing) {
      const masked = inspect((await ask(each())).logged);
      expect(masked).toContain("[masked]");
      expect(masked).not.toContain("hunter2");
      expect(inspect((await ask({ ...each(), maskSecrets: false })).logged)).toContain("hunter2");
    }
  });

  it("for a missing price names the model and the option in the log", async () => {
    const { body, logged } = await ask({
      prices: { small: { input: 1, output: 1 } },
      budget: { run: { maxCost: 1 } },
      agent: { modelConfig: { name: "large" } },
    });
    expect(body.data.error.message).toBe("Internal server error.");
    expect(String(logged[0])).toMatch(/the price of the model "large": add it to RunConfig\.prices/);
  });

  it("is told to the user in the words of a UserFacingError, and is in the log", async () => {
    class SoldOut extends UserFacingError {
      override readonly name = "SoldOut";
    }
    const thrown = new SoldOut("Apples are sold out.");
    const failing: readonly Failing[] = [
      { middleware: [{ name: "own", wrapModelCall: failsAt(thrown) }] },
      { agent: { instructions: failsAt(thrown) } },
      { agent: { tools: orderBy(failsAt(thrown)) }, modelProvider: calling(), onToolError: "fail" },
    ];
    for (const each of failing) {
      const { body, logged } = await ask(each);
      expect(body.data.error.message).toBe("Apples are sold out.");
      expect(logged).toMatchObject([{ name: "TurnFailedError", cause: { name: "SoldOut" } }]);
    }
  });
});

describe("a tool that throws", () => {
  it("is in the log, though its turn goes on", async () => {
    const thrown = unreachable();
    const { body, logged } = await ask({
      agent: { tools: orderBy(failsAt(thrown)) },
      modelProvider: calling(),
    });
    expect(body.data).toMatchObject({ status: "completed", text: "Sorry." });
    expect(logged).toMatchObject([
      { message: 'The tool "order" failed.', code: "ToolCallError", cause: { stack: thrown.stack } },
    ]);
  });

  it("isn't in the log if its error is for the user, who is told by the model", async () => {
    const { body, logged } = await ask({
      agent: { tools: orderBy(failsAt(new UserFacingError("Apples are sold out."))) },
      modelProvider: calling(),
    });
    expect(body.data.status).toBe("completed");
    expect(logged).toEqual([]);
  });
});

describe("a request", () => {
  it("is refused in the words of a UserFacingError of authenticate or context", async () => {
    const thrown = new UserFacingError("Your subscription has ended.");
    for (const options of [{ authenticate: failsAt(thrown) }, { context: failsAt(thrown) }]) {
      const { status, body, logged } = await ask({ options });
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ code: "forbidden", message: "Your subscription has ended." });
      expect(logged).toEqual([]);
    }
  });

  it("isn't told any other error of authenticate or context, which is in the log once", async () => {
    for (const options of [{ authenticate: failsAt(unreachable()) }, { context: failsAt(unreachable()) }]) {
      const { status, body, logged } = await ask({ options });
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(body)).not.toContain("database");
      expect(logged).toEqual([unreachable()]);
    }
  });

  it("that a store refuses is in the log with the store's error", async () => {
    const log = createInMemoryTurnLog();
    const turnLog = {
      ...log,
      begin: async () => createFailure(createMemoryConnectionError("test", "start it")),
    };
    const { status, logged } = await ask({ options: { turnLog } });
    expect(status).toBe(503);
    expect(logged).toMatchObject([
      { _tag: "MemoryConnectionError", message: expect.stringContaining("start it") },
    ]);
  });
});
