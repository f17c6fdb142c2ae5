import { expect, test } from "vitest";
import { parseTurnOptions } from "../../src/turns/options.ts";
import { gateProvider, type TurnGate } from "../../src/turns/turn-gate.ts";
import { startTurnRun } from "../../src/turns/turn-run.ts";
import { clerk, createScriptedModel, createWorld } from "./support/turn-fixtures.ts";

test("A turn of an agent that is no longer there leaves no gate behind", async () => {
  const { log, provider } = createWorld();
  await provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
  const settings = parseTurnOptions<unknown>({
    ...{ log, agents: [clerk], context: () => ({}) },
    config: { modelProvider: createScriptedModel([]), memory: { provider } },
  });
  const gates = new Set<TurnGate>();
  const gated = {
    ...gateProvider(provider),
    add: (_: string, gate: TurnGate) => void gates.add(gate),
    remove: (_: string, gate: TurnGate) => void gates.delete(gate),
  };
  const run = startTurnRun({
    scope: { settings, gated, isDraining: () => false, gatherMs: () => 1 },
    request: { identity: { userId: "ada" }, agentName: "gone", input: "Hi." },
    ...{ conversationId: "c", turnId: "t" },
  });
  expect(await run.left).toMatchObject({ kind: "refused", unbegun: { refusal: { reason: "invalid" } } });
  expect(gates.size).toBe(0);
});
