import type { MemoryProvider, Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import * as z from "zod";
import {
  type Agent,
  type AgentToolOptions,
  asTool,
  createRunState,
  createTool,
  type Interruption,
  type RunConfig,
  type TraceEvent,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";

/** The names of the agents, from the outermost. */
export const NAMES = ["front", "expert", "intern"] as const;

interface TreeOptions {
  readonly provider: MemoryProvider;
  readonly durability?: "completed" | "turn" | "step";
  /** Which agents' own tools need an approval. Default: all. */
  readonly asking?: readonly string[];
  readonly tool?: Partial<AgentToolOptions<unknown>>;
  readonly config?: Partial<RunConfig<unknown>>;
}

/**
 * Three agents, each a tool of the one before. Each first calls its own tool `act` and the next agent, and then repeats
 * their results.
 */
export function agentTree({ provider, durability = "step", asking = NAMES, tool, config }: TreeOptions) {
  const executed: string[] = [];
  const keys = new Map<string, string>();
  const events: TraceEvent[] = [];
  let front: Agent<unknown, string> | undefined;
  for (const name of NAMES.toReversed()) {
    const act = createTool({
      name: "act",
      description: "Acts",
      parameters: z.object({ what: z.string() }),
      needsApproval: asking.includes(name),
      execute: ({ what }, _, call) => {
        executed.push(`${name}: ${what}`);
        keys.set(`${name}: ${what}`, call?.idempotencyKey ?? "");
        return `${name} did ${what}`;
      },
    });
    const ask = front && [asTool(front, { description: `Asks ${front.name}`, ...tool })];
    front = { name, instructions: name, tools: [act, ...(ask ?? [])] };
  }
  if (front === undefined) throw new Error("no agent");
  const model = createScriptedModel<unknown>(({ agent, state: { messages } }) => {
    const last = messages.at(-1);
    if (last?.role === "user") {
      const next = NAMES[NAMES.indexOf(agent.name as (typeof NAMES)[number]) + 1];
      const task = messageText(last);
      return {
        toolCalls: [
          { id: "call_1", name: "act", arguments: { what: task } },
          ...(next === undefined ? [] : [{ id: "call_2", name: next, arguments: { task } }]),
        ],
      };
    }
    const start = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    return messages.slice(start).map(messageText).join("; ");
  });
  const runConfig: RunConfig<unknown> = {
    agentRegistry: new Map([["front", front]]),
    modelProvider: model,
    conversationId: "outer",
    memory: { provider, autoStore: true, userId: "ada", durability },
    onEvent: (event) => events.push(event),
    ...config,
  };
  return { config: runConfig, model, executed, keys, events };
}

export const asks = (...messages: readonly Message[]) =>
  createRunState<unknown>({ agentName: "front", context: {}, messages });

export const waitingIds = (interruptions: readonly Interruption[]) =>
  interruptions.map(({ toolCallId, agentName, type }) => `${type} ${agentName} ${toolCallId}`);
