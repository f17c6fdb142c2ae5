import type { Agent, ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { runServer } from "@jaf/server";
import { expect, it, onTestFinished } from "vitest";
import { assistant } from "./support/test-server.ts";

it.each([
  ["a list", [assistant]],
  ["a map", new Map([["assistant", assistant]])],
] as const)("serves %s of agents and stores messages, as in the spec's example", async (_what, given) => {
  const agents: readonly Agent<unknown, string>[] | ReadonlyMap<string, Agent<unknown, string>> = given;
  const modelProvider: ModelProvider<unknown> = createScriptedModel(["Hello."]);
  const memoryProvider = createInMemoryProvider();
  const server = await runServer(
    agents,
    {
      modelProvider,
      memory: {
        provider: memoryProvider,
        autoStore: true,
        maxMessages: 100,
        ttl: 3600,
        compressionThreshold: 50,
      },
    },
    // The spec's port is 3000, which may be in use.
    { port: 0, defaultMemoryProvider: memoryProvider },
  );
  try {
    const response = await fetch(`${server.url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "Hi" }),
    });
    expect(await response.json()).toMatchObject({ data: { status: "completed", text: "Hello." } });
    expect(await memoryProvider.findConversations({ userId: "local" })).toMatchObject({
      data: [{ messages: { length: 2 } }],
    });
  } finally {
    await server.close();
  }
});

it.each([
  ["a port that another program uses", undefined, "EADDRINUSE", "another program uses this port."],
  [
    "an address that the machine doesn't have",
    "203.0.113.1",
    "EADDRNOTAVAIL",
    "this machine doesn't have the address.",
  ],
])("says in one line what to do about %s", async (_what, host, code, reason) => {
  const modelProvider = createScriptedModel<unknown>([]);
  const stores = { defaultMemoryProvider: createInMemoryProvider() };
  const first = await runServer([assistant], { modelProvider }, { port: 0, ...stores });
  onTestFinished(first.close);
  const options = {
    port: first.port,
    authenticate: () => null,
    ...(host === undefined ? {} : { host }),
    ...stores,
  };
  const failed = runServer([assistant], { modelProvider }, options);
  const address = `${host ?? "127.0.0.1"}:${first.port}`;
  await expect(failed).rejects.toMatchObject({
    code,
    message: expect.stringMatching(/^.* Set the option \w+ .*\.$|^.* set the option port .*\.$/),
  });
  await expect(failed).rejects.toThrow(`Can't listen on ${address} (${code}): ${reason}`);
});
