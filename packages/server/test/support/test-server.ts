import {
  type Agent,
  createTool,
  type MemoryConfig,
  type ModelProvider,
  type RunSettings,
  type RunUserMemory,
} from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider, type TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { type RunningServer, runServer, type ServerOptions } from "@jaf/server";
import { createMessageSearch, MemoryUserMemory } from "@jaf/user-memory";
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
      description: "Removes something, once a person approves.",
      parameters: z.object({ what: z.string() }),
      needsApproval: true,
      execute: async ({ what }) => `${what} is removed`,
    }),
  ],
};

/** A model that always gives the same reply. */
export const saying = (reply: string): ModelProvider<unknown> =>
  createScriptedModel(Array.from({ length: 10_000 }, () => reply));

export interface TestServer extends RunningServer {
  readonly provider: ReturnType<typeof createInMemoryProvider>;
  readonly turnLog: TurnLog;
  readonly userMemory: MemoryUserMemory;
  /** Sends a request of a user and returns the JSON response. */
  readonly ask: (userId: string, method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Sends a request of a user and returns the `Response`. */
  readonly send: (userId: string, path: string, init?: RequestInit) => Promise<Response>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  readonly body: any;
}

/** `undefined` removes a default of the test server. */
type TestServerOptions = {
  readonly [Name in keyof ServerOptions<unknown>]?: ServerOptions<unknown>[Name] | undefined;
} & { readonly userMemory?: RunUserMemory | undefined };

/** Starts a server on a free port with in-memory stores. A header holds the user. Closed at the end of the test. */
export async function startTestServer(
  modelProvider: ModelProvider<unknown> = saying("Hello."),
  given: TestServerOptions = {},
  agents: readonly Agent<unknown, string>[] = [assistant],
  settings: Partial<RunSettings<unknown>> & { readonly memory?: Pick<MemoryConfig, "inbox"> } = {},
): Promise<TestServer> {
  const provider = createInMemoryProvider();
  const userMemory = new MemoryUserMemory();
  const { userMemory: served, ...options } = { userMemory, ...given };
  const turnLog = options.turnLog ?? createInMemoryTurnLog();
  const config = { modelProvider, ...(served && { userMemory: served }), ...settings };
  const server = await runServer(agents, config, {
    port: 0,
    ...{ defaultMemoryProvider: provider, turnLog },
    messageSearch: createMessageSearch(options.defaultMemoryProvider ?? provider),
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
  return { ...server, provider, turnLog, userMemory, ask, send };
}
