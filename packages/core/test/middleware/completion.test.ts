import { describe, expect, it } from "vitest";
import { type CompletionRequest, type MiddlewareTurn, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { recorder } from "../support/middleware.ts";
import { deferred, says, setup, user } from "../support/setup.ts";

const request: CompletionRequest = { instructions: "Distil.", messages: [user("I am Alice.")] };
const modelConfig = { name: "large", temperature: 0.9, maxTokens: 50 };

/** An ended turn, and the model that its middleware can still call. */
async function turnOver(steps: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) {
  const model = createScriptedModel(["Hello.", ...steps]);
  const { middleware, started } = recorder();
  const look = {
    schema: { name: "look", description: "", parameters: {} as never },
    execute: async () => "",
  };
  await run(
    says("Hi"),
    setup({ model, agent: { modelConfig }, tools: [look], config: { middleware: [middleware], ...config } })
      .config,
  );
  const [turn] = started;
  if (turn === undefined) throw new Error("no turn began");
  return { turn, asked: () => model.requests[1] };
}

const settingsOf = async (asking: Partial<CompletionRequest>, config: Partial<RunConfig<unknown>> = {}) => {
  const { turn, asked } = await turnOver(["facts"], config);
  await turn.complete({ ...request, ...asking });
  return { agent: asked()?.agent.modelConfig, override: asked()?.config.modelOverride };
};

describe("a request outside the conversation", () => {
  it("goes to the run's model provider, without tools and without the conversation", async () => {
    const { turn, asked } = await turnOver(["facts"]);
    expect(await turn.complete(request)).toBe("facts");
    const { instructions, state, agent } = asked() ?? {};
    expect({ instructions, messages: state?.messages, tools: agent?.tools }).toEqual({
      instructions: "Distil.",
      messages: request.messages,
      tools: undefined,
    });
    expect(state).toMatchObject({ context: {}, currentAgentName: "helper", runId: turn.state.runId });
  });

  it("has the agent's settings except for maxTokens if it names no model", async () => {
    const settings = { name: "large", temperature: 0.9 };
    expect(await settingsOf({})).toEqual({ agent: settings, override: undefined });
    expect(await settingsOf({}, { modelOverride: "other" })).toEqual({ agent: settings, override: "other" });
  });

  it("uses the model that it names", async () => {
    const named = { agent: { name: "small" }, override: undefined };
    expect(await settingsOf({ model: "small" })).toEqual(named);
    expect(await settingsOf({ model: "small" }, { modelOverride: "other" })).toEqual(named);
  });

  it("is part of the turn, too", async () => {
    const model = createScriptedModel(["Rome.", "Hello."]);
    const onStart = async ({ complete }: MiddlewareTurn<unknown>) => ({
      instructions: await complete(request),
    });
    const { config } = setup({ model, config: { middleware: [{ name: "asking", onStart }] } });
    await run(says("Hi"), config);
    expect(model.requests[1]?.instructions).toBe("Help.\n\nRome.");
  });

  it.each([
    ["what the provider throws", new Error("down"), "down"],
    ["an empty reply", "  ", "the model wrote no text"],
    ["a reply that calls a tool", { toolCalls: [{ name: "look" }] }, "the model wrote no text"],
  ])("rejects with %s", async (_case, step, message) => {
    const { turn } = await turnOver([step]);
    await expect(turn.complete(request)).rejects.toThrow(message);
  });

  it("doesn't depend on the run's signal", async () => {
    const { signal, abort } = abortable();
    const { turn, asked } = await turnOver(["facts"], { signal });
    abort();
    expect(await turn.complete(request)).toBe("facts");
    expect(asked()?.config.signal?.aborted).toBe(false);
  });

  it("is aborted by its own signal, even if the provider ignores it", async () => {
    const { signal, abort } = abortable();
    const reached = deferred();
    const { turn, asked } = await turnOver([
      () => {
        reached.resolve();
        return new Promise<never>(() => undefined);
      },
    ]);
    const answer = turn.complete({ ...request, signal });
    await reached.promise;
    expect(asked()?.config.signal?.aborted).toBe(false);
    abort();
    await expect(answer).rejects.toBe(signal.reason);
    expect(asked()?.config.signal?.reason).toBe(signal.reason);
  });

  it("isn't sent if its signal is already aborted", async () => {
    const { turn, asked } = await turnOver([]);
    await expect(turn.complete({ ...request, signal: AbortSignal.abort("over") })).rejects.toBe("over");
    expect(asked()).toBeUndefined();
  });
});
