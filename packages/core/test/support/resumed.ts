import { createInMemoryProvider, type Message, type WriteMetadata } from "@jaf/memory";
import * as z from "zod";
import { type Agent, createTool, handoffTool, run } from "../../src/index.ts";
import { countCalls, createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { calling, result, says, setup, user } from "./setup.ts";
import { seed } from "./stores.ts";

interface Resumed {
  readonly steps?: readonly ScriptedStep<unknown>[];
  readonly history: readonly Message[];
  readonly metadata?: WriteMetadata;
  readonly durability?: "completed" | "turn" | "step";
  readonly agent?: Partial<Agent<unknown, unknown>>;
}

/** Runs without new messages on a stored history, with two agents that have the same tool. */
export async function resumed({
  steps = ["Done."],
  history,
  metadata,
  durability = "step",
  agent = {},
}: Resumed) {
  const inner = createInMemoryProvider();
  await seed(inner, history, metadata);
  const provider = countCalls(inner);
  const executed: string[] = [];
  const keys: string[] = [];
  const tool = createTool({
    name: "tool",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => {
      executed.push(`${call?.agentName}:${call?.toolCallId}`);
      keys.push(call?.idempotencyKey ?? "");
      return `ran ${call?.toolCallId}`;
    },
  });
  const model = createScriptedModel(steps);
  const specialist: Agent<unknown, unknown> = { name: "specialist", instructions: () => "", tools: [tool] };
  const { config, events } = setup({
    model,
    tools: [tool, handoffTool],
    agent: { handoffs: ["specialist"], ...agent },
    otherAgents: [specialist],
    config: { memory: { provider, autoStore: true, durability }, conversationId: "c" },
  });
  const ended = await run(says(), config);
  return { ended, model, provider, inner, executed, keys, config, events };
}

/** Of three calls the second is answered. */
export const unfinished = [
  user("Hi"),
  calling(["a", "tool"], ["b", "tool"], ["c", "tool"]),
  result("b", "ran before"),
];
