import { type Agent, asTool, createTool, type ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { messageText } from "@jaf/memory/history";
import * as z from "zod";

/** The names of the agents, from the outermost. */
export const NAMES: readonly string[] = ["front", "expert", "intern"];

interface TreeOptions {
  /** Which agents' own tools need an approval. Default: all. */
  readonly asking?: readonly string[];
  /** Which agents' own tools run at the client. Default: none. */
  readonly atClient?: readonly string[];
  /** Called before a tool runs. */
  readonly onRun?: (name: string, idempotencyKey: string) => Promise<void> | void;
}

const parameters = z.object({ what: z.string() });

/**
 * Three agents, each a tool of the one before. Each first calls its own tool `act` and the next agent, and then repeats
 * their results.
 */
export function agentTree({ asking = NAMES, atClient = [], onRun }: TreeOptions = {}) {
  const executed: string[] = [];
  let front: Agent<unknown, string> = { name: "", instructions: "" };
  for (const name of NAMES.toReversed()) {
    const act = atClient.includes(name)
      ? createTool({ name: "act", description: "Acts at the client", parameters })
      : createTool({
          name: "act",
          description: "Acts",
          parameters,
          needsApproval: asking.includes(name),
          execute: async ({ what }, _, call) => {
            await onRun?.(name, call?.idempotencyKey ?? "");
            executed.push(`${name}: ${what}`);
            return `${name} did ${what}`;
          },
        });
    const ask = front.name === "" ? [] : [asTool(front, { description: `Asks ${front.name}` })];
    front = { name, instructions: name, tools: [act, ...ask] };
  }
  return { agent: front, model: treeModel, executed };
}

/** What each model call takes. */
const TOKENS = { inputTokens: 10 };

const treeModel: ModelProvider<unknown> = createScriptedModel<unknown>(({ agent, state: { messages } }) => {
  const last = messages.at(-1);
  if (last?.role === "user") {
    const next = NAMES[NAMES.indexOf(agent.name) + 1];
    const task = messageText(last);
    return {
      usage: TOKENS,
      toolCalls: [
        { id: "call_1", name: "act", arguments: { what: task } },
        ...(next === undefined ? [] : [{ id: "call_2", name: next, arguments: { task } }]),
      ],
    };
  }
  const start = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  return { text: messages.slice(start).map(messageText).join("; "), usage: TOKENS };
});

/** The final reply of the outermost agent to "work". */
export const DONE = "front did work; expert did work; intern did work";
