import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Guardrail, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { resumed, unfinished } from "../support/resumed.ts";
import { assistant, calling, errorOf, result, says, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

describe("a run without new messages on a conversation that ends", () => {
  it.each(["completed", "turn", "step"] as const)(
    "with unanswered calls runs only those, then continues: %s",
    async (durability) => {
      const { ended, model, executed, inner } = await resumed({ history: unfinished, durability });
      expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
      expect(executed).toEqual(["helper:a", "helper:c"]);
      const seen = [
        ...unfinished.slice(0, 2),
        result("a", "ran a"),
        result("b", "ran before"),
        result("c", "ran c"),
      ];
      expect(model.requests[0]?.state.messages).toEqual(seen);
      expect(ended.finalState.messages).toEqual([...seen, assistant("Done.")]);
      const results = [result("a", "ran a"), result("c", "ran c")];
      expect(await storedMessages(inner)).toEqual([...unfinished, ...results, assistant("Done.")]);
    },
  );

  it("with a user message calls the model", async () => {
    const { ended, model, inner } = await resumed({ history: [user("Hi")] });
    expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
    expect(model.requests).toHaveLength(1);
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Done.")]);
  });

  it("with all results calls the model and runs no tool", async () => {
    const history = [user("Hi"), calling(["a", "tool"]), result("a", "ran before")];
    const { ended, executed } = await resumed({ history });
    expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
    expect(executed).toEqual([]);
  });

  it("with a reply returns that reply, and calls and stores nothing", async () => {
    const { ended, model, provider } = await resumed({ history: [user("Hi"), assistant("Said before.")] });
    expect(ended.outcome).toEqual({ status: "completed", output: "Said before." });
    expect(model.requests).toHaveLength(0);
    expect(provider.calls).toEqual({ readConversation: 1 });
    expect(ended.finalState.messages).toHaveLength(2);
  });

  it("with a reply decodes it like any other", async () => {
    const agent = { outputCodec: z.object({ n: z.number() }) };
    const good = await resumed({ history: [user("Hi"), assistant('{"n":1}')], agent });
    expect(good.ended.outcome).toEqual({ status: "completed", output: { n: 1 } });
    const bad = await resumed({ history: [user("Hi"), assistant("no")], agent });
    expect(errorOf(bad.ended)._tag).toBe("DecodeError");
  });

  it("with a reply checks it with the output guardrails", async () => {
    const { config } = await resumed({ history: [user("Hi"), assistant("Said before.")] });
    const blocking: Guardrail<unknown> = () => ({ isValid: false, errorMessage: "no longer" });
    const ended = await run(says(), { ...config, finalOutputGuardrails: [blocking] });
    expect(errorOf(ended)).toEqual({ _tag: "OutputGuardrailTripwire", reason: "no longer" });
  });
});

describe("a retry with messages that are already stored", () => {
  it("resumes instead of storing them again", async () => {
    const { config, inner } = await resumed({
      history: [user("Hi")],
      steps: [new Error("gone")],
      durability: "turn",
    });
    const ended = await run(says("Hi"), { ...config, modelProvider: createScriptedModel(["Hello."]) });
    expect(ended.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Hello.")]);
  });
});

describe("the agent that resumes", () => {
  it("is the one that had the conversation", async () => {
    const { ended, executed } = await resumed({
      history: unfinished,
      metadata: { jaf: { agentName: "specialist" } },
    });
    expect(executed).toEqual(["specialist:a", "specialist:c"]);
    expect(ended.finalState.currentAgentName).toBe("specialist");
  });

  it.each([5, null])("is the state's if none is stored: %j", async (agentName) => {
    const { executed } = await resumed({ history: unfinished, metadata: { jaf: { agentName } } });
    expect(executed).toEqual(["helper:a", "helper:c"]);
  });

  it("is no other agent if calls are open, because its tools can have other rules", async () => {
    const metadata = { jaf: { agentName: "retired" } };
    const { ended, executed, config, inner } = await resumed({ history: unfinished, metadata });
    expect(errorOf(ended)).toEqual({ _tag: "AgentNotFound", agentName: "retired" });
    expect(executed).toEqual([]);
    const next = await run(says("More"), { ...config, modelProvider: createScriptedModel(["Done."]) });
    expect(next.outcome.status).toBe("completed");
    expect((await storedMessages(inner)).at(-1)).toEqual(assistant("Done."));
  });

  it("is the state's agent if no call is open", async () => {
    const { ended } = await resumed({ history: [user("Hi")], metadata: { jaf: { agentName: "retired" } } });
    expect(ended.outcome.status).toBe("completed");
  });

  it("is the state's agent if there is a new message", async () => {
    const { config } = await resumed({
      history: [user("Hi"), assistant("x")],
      metadata: { jaf: { agentName: "specialist" } },
    });
    const model = createScriptedModel(["Done."]);
    await run(says("More"), { ...config, modelProvider: model });
    expect(model.requests[0]?.agent.name).toBe("helper");
  });

  it("runs an unanswered handoff", async () => {
    const history = [user("Hi"), calling(["h", "handoff", '{"agentName":"specialist"}'], ["a", "tool"])];
    const { ended, executed, model } = await resumed({ history });
    expect(executed).toEqual(["helper:a"]);
    expect(model.requests[0]?.agent.name).toBe("specialist");
    expect(ended.outcome.status).toBe("completed");
  });
});
