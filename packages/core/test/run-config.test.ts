import { expect, test } from "vitest";
import { createAgentClient, type RunConfig, run } from "../src/index.ts";
import { createScriptedModel } from "../src/testing/index.ts";
import { errorOf, says, setup } from "./support/setup.ts";

const agent = { name: "helper", instructions: "" };

test.each<[string, object]>([
  ["modelProvider", { modelProvider: { getCompletion: "soon" } }],
  ["modelOverride", { modelOverride: 7 }],
  ["modelRetry", { modelRetry: 3 }],
  ["modelFallback", { modelFallback: ["second"] }],
  ["outputRepairs", { outputRepairs: -1 }],
  ["prices", { prices: { large: { input: "1" } } }],
  ["prices", { budget: { run: { maxCost: 1 } } }],
  ["budget", { budget: { run: { maxCosts: 1 } } }],
  ["initialInputGuardrails", { initialInputGuardrails: ["no"] }],
  ["finalOutputGuardrails", { finalOutputGuardrails: () => ({ isValid: true }) }],
  ["onToolError", { onToolError: "stop" }],
  ["timeouts.toolMs", { timeouts: { toolMs: 0 } }],
  ["timeouts.modelMS", { timeouts: { modelMS: 5 } }],
  ["unguardedText", { unguardedText: "show" }],
  ["maskSecrets", { maskSecrets: "all" }],
  ["approvalTtlMs", { approvalTtlMs: Number.NaN }],
  ["middleware", { middleware: {} }],
  ["onEvent", { onEvent: "log" }],
  ["validate", { validate: {} }],
])(
  "A setting that is wrong ends a run before its model is called, and makes no client: %s",
  async (field, wrong) => {
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({ model, config: wrong as Partial<RunConfig<unknown>> });
    const error = errorOf(await run(says("Hi"), config));
    expect(error).toMatchObject({ _tag: "InternalError", detail: expect.stringContaining(field) });
    expect(model.requests).toEqual([]);
    const client = { modelProvider: model, context: {}, ...wrong } as never;
    expect(() => createAgentClient(agent, client)).toThrow(TypeError);
    expect(() => createAgentClient(agent, client)).toThrow(field);
  },
);

test.each<[string, object]>([
  ["maxTurns", { maxTurns: 0 }],
  ["maxParallelTools", { maxParallelTools: 0 }],
  ["modelTimeoutMs", { modelTimeoutMs: 5 }],
])("What a run takes, and only a client refuses: %s", (field, wrong) => {
  const client = { modelProvider: createScriptedModel([]), context: {}, ...wrong } as never;
  expect(() => createAgentClient(agent, client)).toThrow(field);
});

class Prices {
  readonly large = { input: 1, output: 1 };
}

test.each<[object, string]>([
  [{ prices: new Prices() }, "prices: expected a plain object of prices by the model's name"],
  [{ budget: null }, "budget: expected an object of run, conversation, user, tenant and everyone"],
  [{ modelFallback: null }, "modelFallback: expected an object of models and statuses"],
  [{ timeouts: null }, "timeouts: expected an object"],
  [{ approvalTtlMs: -1 }, "approvalTtlMs: expected a number from 0"],
])("reports the invalid field and the expected value: %o", async (wrong, expected) => {
  const { config } = setup({ model: [], config: wrong as Partial<RunConfig<unknown>> });
  expect(errorOf(await run(says("Hi"), config))).toMatchObject({ detail: `Invalid RunConfig: ${expected}.` });
});
