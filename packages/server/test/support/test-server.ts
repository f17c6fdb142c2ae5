import { type Agent, createTool, type ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { type RunningServer, runServer, type ServerOptions } from "@jaf/server";
import { MemoryUserMemory } from "@jaf/user-memory";
import { onTestFinished } from "vitest";
import * as z from "zod";

export const assistant: Agent<unknown, string> = {
  name: "assistant",
  instructions: "Help.",
  tools: [
    createTool({
      name: "add",
      description: "Adds two numbers.",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => String(a + b),
    }),
    createTool({
      name: "remove",
      description: "Removes something, once somebody approves.",
      parameters: z.object({ what: z.string() }),
      needsApproval: true,
      execute: async ({ what }) => `${what} is removed`,
    }),
  ],
};

/** A model that gives the same reply as often as it is asked. */
export const saying = (reply: string): ModelProvider<unknown> =>
  createScriptedModel(Array.from({ length: 10_000 }, () => reply));

export interface TestServer extends RunningServer {
  readonly provider: ReturnType<typeof createInMemoryProvider>;
  readonly userMemory: MemoryUserMemory;
  /** A request of a user, as JSON. */
  readonly ask: (userId: string, method: string, path: string, body?: unknown) => Promise<Answer>;
  /** The same, with the answer as it is. */
  readonly send: (userId: string, path: string, init?: RequestInit) => Promise<Response>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  readonly body: any;
}

/** `undefined` takes away what the test server has by itself. */
type TestServerOptions = {
  readonly [Name in keyof ServerOptions<unknown>]?: ServerOptions<unknown>[Name] | undefined;
};

/** A server on a free port, with stores in memory, whose users say by a header who they are. It ends with the test. */
export async function startTestServer(
  modelProvider: ModelProvider<unknown> = saying("Hello."),
  options: TestServerOptions = {},
): Promise<TestServer> {
  const provider = createInMemoryProvider();
  const userMemory = new MemoryUserMemory();
  const server = await runServer([assistant], { modelProvider }, {
    port: 0,
    ...{ defaultMemoryProvider: provider, turnLog: createInMemoryTurnLog(), userMemory },
    authenticate: ({ headers }) => {
      const userId = headers.get("x-user");
      return userId === null ? null : { userId };
    },
    ...options,
  } as ServerOptions<unknown>);
  onTestFinished(server.close);
  const send = (userId: string, path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { "x-user": userId, "content-type": "application/json", ...init.headers },
    });
  const ask = async (userId: string, method: string, path: string, body?: unknown) => {
    const response = await send(userId, path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { ...server, provider, userMemory, ask, send };
}
