import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { storing } from "../support/conversations.ts";
import { shop } from "../support/interrupted.ts";
import { calling, says, user } from "../support/setup.ts";

describe("open calls without ids", () => {
  it("never get each other's results", async () => {
    const history = [user("Look, and pay 5"), calling(["", "look"], ["", "pay", '{"amount":5}'])];
    const { configOf } = shop({ provider: await storing(history) });
    const model = createScriptedModel(["Done."]);
    await run(says(), configOf([], { modelProvider: model }));
    const shown = model.requests[0]?.state.messages ?? [];
    const answered = shown.flatMap(({ tool_calls: calls }, index) =>
      (calls ?? []).map((call, at) => [call.function.name, shown[index + 1 + at]?.content]),
    );
    for (const pair of answered)
      expect([
        ["look", "seen"],
        ["pay", "paid 5"],
      ]).toContainEqual(pair);
  });

  it("run if there is only one", async () => {
    const { configOf, executed } = shop({ provider: await storing([user("Look"), calling(["", "look"])]) });
    await run(says(), configOf(["Done."]));
    expect(executed).toEqual(["look"]);
  });
});
