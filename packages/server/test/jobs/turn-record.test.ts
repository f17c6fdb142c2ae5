import { asUserMemory, MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, test } from "vitest";
import type { TurnRecord } from "../../src/jobs/turn-record.ts";
import {
  ask,
  begin,
  clerk,
  createScriptedModel,
  createTestService,
  createWorld,
  type World,
} from "../support/turn-fixtures.ts";

async function recordOf(
  { log }: World,
  turn: { conversationId: string; turnId: string },
): Promise<TurnRecord> {
  const page = await log.read({ conversationId: turn.conversationId, turnId: turn.turnId });
  const text = page.success ? page.data?.turn.record : undefined;
  if (text === undefined) throw new Error("no record");
  return JSON.parse(text) as TurnRecord;
}

describe("The record of a turn", () => {
  test("lists the ids of the facts in the prompt without their text", async () => {
    const world = createWorld();
    const facts = new MemoryUserMemory();
    await facts.remember("ada", "Deploys to Frankfurt on Fridays.");
    const [fact] = await facts.list("ada");
    const seen: { readonly id: string }[] = [];
    const model = createScriptedModel([
      {
        text: "To Frankfurt.",
        usage: { inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 },
        finishReason: "stop",
      },
    ]);
    const agent = { ...clerk, remembers: { user: "ada", inject: "auto", extract: false } as const };
    const service = createTestService(world, model, {
      agents: [agent],
      config: {
        userMemory: asUserMemory(facts, { inject: { onInjected: (found) => seen.push(...found) } }),
        modelProvider: model,
        memory: { provider: world.provider },
        prices: { default: { input: 1, output: 2 } },
      },
    });
    const turn = await begin(service, ask("Where do I deploy on Fridays?"));
    expect((await turn.ended).status).toBe("completed");
    expect(model.requests[0]?.instructions).toContain("Frankfurt");
    const record = await recordOf(world, turn);
    expect(JSON.stringify(record)).not.toContain("Frankfurt");
    expect(record.facts).toEqual([fact?.id]);
    expect(seen.map(({ id }) => id)).toEqual([fact?.id]);
    expect(record.instructions).toEqual(["Be brief."]);
    expect(record.calls).toMatchObject([
      {
        agentName: "clerk",
        status: "success",
        instructions: 0,
        usage: { inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 },
        manifest: { messages: 1, sent: 1 },
      },
    ]);
    expect(record.usage).toEqual({ inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 });
  });

  test("holds the status of a failed turn without the model provider's error", async () => {
    const world = createWorld();
    const model = createScriptedModel([new Error("key sk-secret is wrong")]);
    const service = createTestService(world, model, {
      config: {
        modelProvider: model,
        memory: { provider: world.provider },
        modelRetry: { maxAttempts: 1 },
      },
    });
    const turn = await begin(service, ask("Hi."));
    expect(await turn.ended).toMatchObject({ status: "error", error: { code: "ModelCallError" } });
    const page = await world.log.read(turn);
    expect(JSON.stringify(page)).not.toContain("secret");
    expect(await recordOf(world, turn)).toMatchObject({ status: "error", calls: [{ status: "error" }] });
  });
});
