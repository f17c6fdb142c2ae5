import { type Agent, approve, createRunState, type RunConfig, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider, type Message } from "@jaf/memory";
import { expect, it, onTestFinished } from "vitest";
import { connectMcpServers, type McpCall, type McpServerOptions } from "../src/index.ts";
import { startHonest } from "./support/honest.ts";
import { connectHostile } from "./support/hostile.ts";

const calling = (name: string, args = {}) => ({ toolCalls: [{ name, id: "call", arguments: args }] });

/** A stored conversation in which the model calls one tool. */
function conversation(tools: Agent<object, string>["tools"], call: ReturnType<typeof calling>) {
  const provider = createInMemoryProvider();
  const agent: Agent<object, string> = {
    name: "helper",
    instructions: "Help.",
    ...(tools === undefined ? {} : { tools }),
  };
  const config: RunConfig<object> = {
    agentRegistry: new Map([["helper", agent]]),
    modelProvider: createScriptedModel([call, "Done."]),
    memory: { provider, autoStore: true, durability: "step" },
    conversationId: "c",
  };
  const go = (messages: readonly Message[], more: Partial<RunConfig<object>> = {}) =>
    run(createRunState({ agentName: "helper", context: {}, messages }), { ...config, ...more });
  const result = async () => {
    const found = await provider.getConversation("c");
    const messages = found.success ? (found.data?.messages ?? []) : [];
    return messages.find(({ role }) => role === "tool")?.content;
  };
  return { go, result };
}

const hello: Message = { role: "user", content: "Hello" };

async function connected(options: McpServerOptions) {
  const { url } = await startHonest();
  const servers = await connectMcpServers({ one: { url, ...options } });
  onTestFinished(() => servers.close());
  return servers;
}

it("a call of a server that isn't trusted waits for an approval, and runs in a later run", async () => {
  const { tools } = await connected({});
  const { go, result } = conversation(tools, calling("one__add", { a: 1, b: 2 }));
  const { outcome } = await go([hello]);
  if (outcome.status !== "interrupted" || outcome.interruptions[0]?.type !== "approval")
    throw new Error(`expected an approval to be waited for: ${JSON.stringify(outcome)}`);
  const approvals = [approve(outcome.interruptions[0])];
  expect((await go([], { resume: { approvals } })).outcome).toMatchObject({ status: "completed" });
  expect(await result()).toContain("\n3\n");
});

it.each([
  ["one__add", "completed"],
  ["one__erase", "interrupted"],
  ["one__list_resources", "completed"],
])("a trusted server's hints decide about %s", async (name, status) => {
  const { tools } = await connected({ trusted: true });
  const { go } = conversation(tools, calling(name, { a: 1, b: 2 }));
  expect((await go([hello])).outcome.status).toBe(status);
});

it("the application may decide for each call", async () => {
  const asked: McpCall[] = [];
  const { tools } = await connected({
    approval: (call) => {
      asked.push(call);
      return call.args["a"] !== 1;
    },
  });
  const { go } = conversation(tools, calling("one__add", { a: 1, b: 2 }));
  expect((await go([hello])).outcome.status).toBe("completed");
  expect(asked).toEqual([{ server: "one", tool: "add", args: { a: 1, b: 2 } }]);
});

it("a call that an abort cut off isn't made again, and the model is told so", async () => {
  const { servers, log } = await connectHostile("results", {}, { approval: "never" });
  const { go, result } = conversation(servers.tools, calling("bad__hang"));
  const controller = new AbortController();
  const running = go([hello], { signal: controller.signal });
  await expect.poll(log).toContain("hang");
  controller.abort();
  expect((await running).outcome).toMatchObject({ status: "error" });
  expect((await go([])).outcome).toMatchObject({ status: "completed" });
  expect(await result()).toContain("may have been carried out");
  expect(log().filter((name) => name === "hang")).toHaveLength(1);
});
