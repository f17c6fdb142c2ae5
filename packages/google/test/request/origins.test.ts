import { createTool, handoffTool, run, runStream } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { startGemini } from "../../../../test/fakes/gemini.ts";
import { createOpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import { inTurn, type ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { createGoogleProvider } from "../../src/index.ts";
import { asking, configOf, says } from "../support/setup.ts";

const tool = createTool({
  name: "look_up",
  description: "Looks it up",
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => `${id} found`,
});
const looks = (id: string) => ({ name: "look_up", input: { id } });
const hands = (agentName: string) => ({
  name: "handoff_to_agent",
  input: { agentName, reason: "It knows more." },
});
const names = { first: "gemini-3-pro-preview", second: "gemini-3-flash-preview", third: "gemini-3.8-flash" };

/** Agents with three models that hand off to each other, on the strict fake. Returns the fake's findings. */
async function talk(replies: readonly ScriptedReply[], turns: readonly string[], window = {}) {
  const opaque = createOpaqueValues();
  const fake = await startGemini({ next: inTurn(replies), opaque });
  const modelProvider = createGoogleProvider({
    baseURL: `${fake.url}/v1beta`,
    apiKey: "k",
    provider: "google",
    includeThoughts: true,
  });
  const provider = createInMemoryProvider();
  const agents = Object.entries(names).map(([name, model]) => [
    name,
    {
      name,
      instructions: "You help.",
      tools: [tool, handoffTool],
      handoffs: Object.keys(names),
      modelConfig: { name: model },
    },
  ]);
  const { config } = configOf(
    modelProvider,
    {},
    {
      agentRegistry: new Map(agents as never),
      conversationId: "c",
      memory: { provider, autoStore: true, userId: "ada", ...window },
    },
  );
  for (const [at, turn] of turns.entries()) {
    const state = { ...says(turn), currentAgentName: "first" };
    const result =
      at % 2 === 0
        ? await runStream<unknown, unknown>(state, config).result
        : await run<unknown, unknown>(state, config);
    expect(result.outcome.status).toBe("completed");
  }
  await fake.close();
  const refused = fake.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  return { fake, refused, findings: fake.findings(), issued: opaque.issued() };
}

describe("signatures", () => {
  it("survive handoffs to other models and back, and aren't sent to others", async () => {
    const { refused, findings, issued } = await talk(
      [
        { thoughts: ["Hm."], text: "I look.", calls: [looks("1"), looks("2")] },
        { calls: [looks("3")] },
        { thoughts: ["The other."], calls: [hands("second")] },
        { text: "On it.", calls: [looks("4")] },
        { calls: [hands("first")] },
        { thoughts: ["Back."], text: "Done." },
        { calls: [looks("5")] },
        { text: "Done again." },
        { calls: [hands("third")] },
        { text: "Bye." },
      ],
      ["Go", "Again", "And?"],
    );
    expect(refused).toEqual([]);
    expect(findings).toMatchObject({ foreign: [], broken: [] });
    expect(findings.whole).toBeGreaterThan(10);
    expect(issued).toBe(10);
  });

  it("survive a window that drops earlier messages", async () => {
    const replies = Array.from({ length: 6 }, (_, at): readonly ScriptedReply[] => [
      { thoughts: ["Hm."], calls: [looks(`${at}`), looks(`${at}b`)] },
      { text: `Done ${at}.` },
    ]).flat();
    const { refused, findings, fake } = await talk(replies, ["1", "2", "3", "4", "5", "6"], {
      maxMessages: 7,
    });
    expect(refused).toEqual([]);
    expect(findings).toMatchObject({ foreign: [], broken: [] });
    expect(findings.returned).toBeGreaterThan(10);
    expect(JSON.stringify(fake.requests.at(-1)?.body)).not.toContain("Done 0.");
  });

  it("aren't required from another provider's model in between", async () => {
    const opaque = createOpaqueValues();
    const fake = await startGemini({ next: inTurn([{ text: "Done." }]), opaque });
    const provider = createGoogleProvider({ baseURL: `${fake.url}/v1beta`, apiKey: "k", model: names.first });
    const state = asking([
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "toolu_1", type: "function", function: { name: "look_up", arguments: '{"id":"1"}' } },
        ],
        origin: { provider: "anthropic", api: "messages", model: "claude" },
      },
      { role: "tool", tool_call_id: "toolu_1", content: "1 found" },
    ]);
    const { outcome } = await run<unknown, unknown>(state, configOf(provider, { tools: [tool] }).config);
    await fake.close();
    expect(fake.requests[0]?.refusal).toBeUndefined();
    expect(outcome).toEqual({ status: "completed", output: "Done." });
  });
});
