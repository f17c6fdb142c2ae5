import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createAgentClient, createTool, type RunConfig, run, withErrorHandling } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, says, setup } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const secret = "s3cr3t-9";
const thrown = `connect ECONNREFUSED postgres://app:${secret}@db.internal:5432/shop`;
const masked = "connect ECONNREFUSED postgres://app:[masked]@db.internal:5432/shop";
const fail = () => {
  throw new Error(thrown);
};

/** Ways for a tool to throw. */
const tools = {
  execute: { execute: fail },
  "execute with withErrorHandling": { execute: withErrorHandling("pay", fail) },
  needsApproval: { execute: () => "paid", needsApproval: fail },
  "its schema": { execute: () => "paid", parameters: z.object({}).transform(fail) },
};

async function world(parts: object, config: Partial<RunConfig<unknown>> = {}) {
  const pay = createTool({
    name: "pay",
    description: "",
    parameters: z.object({}),
    execute: () => "",
    ...parts,
  });
  const provider = createInMemoryProvider();
  const { config: all, events } = setup({
    model: [{ toolCalls: [{ name: "pay" }] }, "Sorry."],
    tools: [pay],
    config: { memory: { provider, autoStore: true, durability: "step" }, conversationId: "c", ...config },
  });
  const ended = await run(says("Pay"), all);
  const everywhere = JSON.stringify([ended, events, await storedMessages(provider)]);
  return { ended, everywhere };
}

describe("a secret in a tool's error", () => {
  it.each(Object.entries(tools))(
    "is masked for the model, the events and the store: %s",
    async (_how, parts) => {
      const { ended, everywhere } = await world(parts);
      expect(everywhere).not.toContain(secret);
      expect(ended.finalState.messages[2]?.content).toContain(masked);
    },
  );

  it("is masked in the outcome of a run that ends with it", async () => {
    const { ended, everywhere } = await world(tools.execute, { onToolError: "fail" });
    expect(errorOf(ended)).toEqual({ _tag: "ToolCallError", tool: "pay", detail: masked });
    expect(everywhere).not.toContain(secret);
  });

  it("isn't masked if the run turns masking off", async () => {
    const { ended } = await world(tools.execute, { maskSecrets: false });
    expect(ended.finalState.messages[2]?.content).toContain(thrown);
  });

  it("is masked by the application's function", async () => {
    class Config {
      readonly #word = "hidden";
      maskSecrets(text: string) {
        return text.replace(secret, this.#word);
      }
    }
    const own = new Config();
    const { ended } = await world(tools.execute, { maskSecrets: (text) => own.maskSecrets(text) });
    expect(ended.finalState.messages[2]?.content).toContain("app:hidden@db");
    const pay = createTool({ name: "pay", description: "", parameters: z.object({}), execute: fail });
    const model = createScriptedModel([{ toolCalls: [{ name: "pay" }] }, "Sorry."]);
    class ClientConfig extends Config {
      readonly modelProvider = model;
      readonly context = {};
    }
    const agent = { name: "clerk", instructions: () => "", tools: [pay] };
    const { messages } = await createAgentClient(agent, new ClientConfig()).prompt("Pay");
    expect(messages[2]?.content).toContain("app:hidden@db");
  });

  it.each([
    ["throws", fail],
    ["returns no text", () => undefined as never],
  ])("is withheld with the whole text if that function %s", async (_how, maskSecrets) => {
    const { ended, everywhere } = await world(tools.execute, { maskSecrets });
    expect(everywhere).not.toContain(secret);
    expect(ended.finalState.messages[2]?.content).toContain("the message was withheld");
  });

  it("isn't masked in a tool's result", async () => {
    const { ended } = await world({ execute: () => thrown });
    expect(ended.finalState.messages[2]?.content).toBe(thrown);
  });

  it.each(["yes", null, 1])("can't be masked by %s", async (maskSecrets) => {
    const { ended } = await world(tools.execute, { maskSecrets } as unknown as Partial<RunConfig<unknown>>);
    expect(errorOf(ended)).toMatchObject({
      detail: expect.stringContaining("maskSecrets: expected true, false"),
    });
  });
});
