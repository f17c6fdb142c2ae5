import type { Agent, ModelProvider } from "@jaf/core";
import { runServer } from "@jaf/server";
import { onTestFinished } from "vitest";
import type { World } from "../../support/turn-fixtures.ts";

/** Serves the agents. The header `x-user` holds the user, by default Ada. Returns the `api` for the AI SDK's chat. */
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
