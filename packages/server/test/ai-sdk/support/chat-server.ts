import type { Agent, ModelProvider } from "@jaf/core";
import { runServer } from "@jaf/server";
import { onTestFinished } from "vitest";
import type { World } from "../../support/turn-fixtures.ts";

/** Serves the agents; the header `x-user` says who asks, by default Ada. Returns the `api` of the AI SDK's chat. */
export async function startChatServer(
  { log, provider }: World,
  agents: readonly Agent<unknown, string>[],
  modelProvider: ModelProvider<unknown>,
): Promise<string> {
  const server = await runServer(
    agents,
    { modelProvider },
    {
      port: 0,
      ...{ defaultMemoryProvider: provider, turnLog: log, cors: true },
      authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "ada" }),
    },
  );
  onTestFinished(server.close);
  return `${server.url}/ai-sdk/chat`;
}
