import {
  type Agent,
  type AgentToolOptions,
  asTool,
  createTool,
  type ModelProvider,
  messageText,
} from "@jaf/core";
import * as z from "zod";
import type { Mortal } from "../crash/saboteur.ts";

/** The agents, from the outermost. Each one is a tool of the one before, which asks it twice in one reply. */
export const NAMES: readonly string[] = ["front", "expert", "intern"];

export type Memory = NonNullable<AgentToolOptions<unknown>["memory"]>;

export interface TreeOptions {
  readonly memory: Memory;
  readonly mortal: Mortal;
  /** Called when a tool runs. `task` names the agent and what it was asked. */
  readonly executed: (task: string, idempotencyKey: string) => void;
}

/** The tasks of the tools in the tree. Each of them runs once. */
export const TASKS: readonly string[] = ["front x", ...["1", "2"].flatMap((ask) => tasksOfExpert(`x${ask}`))];

function tasksOfExpert(task: string): readonly string[] {
  return [`expert ${task}`, `intern ${task}1`, `intern ${task}2`];
}

/** Returns the result of a tool. */
export const resultOf = (task: string): string => `<${task}>`;

export function createTree({ memory, mortal, executed }: TreeOptions): Agent<unknown, string> {
  let inner: Agent<unknown, string> | undefined;
  for (const name of NAMES.toReversed()) {
    const act = createTool({
      name: "act",
      description: "",
      parameters: z.object({ task: z.string() }),
      needsApproval: true,
      execute: ({ task }, _context, call) =>
        mortal.call({ label: `tool of ${name}`, on: "tool" }, async () => {
          executed(`${name} ${task}`, call?.idempotencyKey ?? "");
          return resultOf(`${name} ${task}`);
        }),
    });
    const ask = inner && [asTool(inner, { description: "", memory })];
    inner = { name, instructions: "", tools: [act, ...(ask ?? [])] };
  }
  if (inner === undefined) throw new Error("there is no agent");
  return inner;
}

/** Answers only from the messages that it gets: a task with calls, results with all of them. */
export const createTreeModel = (mortal: Mortal): ModelProvider<unknown> => ({
  getCompletion: ({ messages }, { name }) =>
    mortal.call({ label: `model of ${name}`, on: "model" }, async () => {
      const last = messages.at(-1);
      const start = messages.findLastIndex(({ role }) => role === "user");
      if (last?.role === "tool")
        return {
          message: {
            content: messages
              .slice(start + 2)
              .map(messageText)
              .join(""),
          },
        };
      if (last?.role !== "user") throw new Error("the model was called, but no message waits for its reply");
      const task = messageText(last);
      const next = NAMES[NAMES.indexOf(name) + 1];
      const asks = next === undefined ? [] : ["1", "2"].map((ask) => [next, `${task}${ask}`] as const);
      // The ids are the same in each conversation, as those of some services are.
      const calls = [["act", task] as const, ...asks].map(([tool, argument], index) => ({
        id: `call_${index}`,
        type: "function" as const,
        function: { name: tool, arguments: JSON.stringify({ task: argument }) },
      }));
      return { message: { content: "", tool_calls: calls } };
    }),
});
