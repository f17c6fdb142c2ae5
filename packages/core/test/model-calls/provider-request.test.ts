import { expect, it } from "vitest";
import { type RunConfig, run } from "../../src/index.ts";
import { says, setup } from "../support/setup.ts";

it("returns the same parts of a call's configuration at each access, and new ones for the next call", async () => {
  const seen: RunConfig<unknown>[] = [];
  const settings = { budget: { run: { maxTokens: 1_000 } }, timeouts: { toolMs: 100 } };
  const { config } = setup({ model: [], config: settings });
  const modelProvider: RunConfig<unknown>["modelProvider"] = {
    getCompletion: async (_state, _agent, given) => {
      seen.push(given);
      return { message: { content: "Hello." } };
    },
  };
  for (let call = 0; call < 2; call++) await run(says("Hi"), { ...config, modelProvider });
  const [first, second] = seen;
  if (first === undefined || second === undefined) throw new Error("the model wasn't called");
  for (const part of ["agentRegistry", "budget", "timeouts"] as const) {
    expect(first[part]).toBe(first[part]);
    expect(first[part]).not.toBe(second[part]);
    expect(first[part]).not.toBe(config[part]);
  }
});
