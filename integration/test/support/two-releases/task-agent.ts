import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createTool, type ModelProvider } from "@jaf/core";
import { messageText } from "@jaf/memory/history";
import * as z from "zod";

// For programs of two releases: imports only packages, and uses only what both releases have.

export interface TaskAgentOptions {
  /** The release or the version of the application that runs the agent. */
  readonly release: string;
  /** The file to which each process appends what it does, as lines of {@link Noted}. */
  readonly ledger: string;
  /** Whether a turn hangs in the state that its message names. Otherwise each step takes up to 400 ms. */
  readonly hangs: boolean;
}

/** What a process did for a turn. */
export interface Noted {
  readonly release: string;
  /** The user's message. */
  readonly task: string;
  /** The tool, or `model`: the model call hangs. */
  readonly what: string;
  readonly event: "begin" | "end";
  /** Tells the runs of a tool apart. */
  readonly run: string;
  readonly idempotencyKey?: string | undefined;
}

const HANGS_MS = 600_000;

/**
 * Creates an agent that does what the user's message names, and its model: calls the tool `act`, then the tool of the
 * state that the message names, if it names one, and replies.
 */
export function createTaskAgent({ release, ledger, hangs }: TaskAgentOptions) {
  const note = (noted: Omit<Noted, "release">): void =>
    appendFileSync(ledger, `${JSON.stringify({ release, ...noted })}\n`);

  async function takeTime(mayHang: boolean, signal?: AbortSignal): Promise<void> {
    const ms = hangs ? Number(mayHang) * HANGS_MS : Math.random() * 400;
    await sleep(ms, undefined, signal && { signal });
  }

  const toolOf = (name: string, needsApproval: boolean) =>
    createTool({
      name,
      description: name,
      parameters: z.object({ task: z.string() }),
      needsApproval,
      execute: async ({ task }, _context, call) => {
        const run = crypto.randomUUID();
        const noted = { task, what: name, run, idempotencyKey: call?.idempotencyKey };
        note({ ...noted, event: "begin" });
        await takeTime(name === "hold");
        note({ ...noted, event: "end" });
        return `${name}: ${run}`;
      },
    });

  const model: ModelProvider<unknown> = {
    getCompletion: () => Promise.reject(new Error("This model only streams.")),
    getCompletionStream: async function* ({ messages }, _agent, { signal }) {
      const said = messages.find(({ role }) => role === "user");
      const task = said === undefined ? "" : messageText(said);
      const [state] = task.split(" ");
      const results = messages.filter(({ role }) => role === "tool").length;
      const second = { tool: "hold", approval: "ask" }[state ?? ""];
      const tool = ["act", second][results];
      if (tool !== undefined) {
        await takeTime(false, signal);
        yield { type: "tool_call_delta", id: tool, name: tool, arguments: JSON.stringify({ task }) };
      } else {
        for (const text of ["done ", task]) {
          yield { type: "text_delta", text };
          if (text === task) break;
          if (hangs && state === "model") note({ task, what: "model", event: "begin", run: "" });
          await takeTime(state === "model", signal);
        }
      }
      yield { type: "done" };
    },
  };

  const agent: Agent<unknown, string> = {
    name: "worker",
    instructions: "Work.",
    tools: [toolOf("act", false), toolOf("hold", false), toolOf("ask", true)],
  };

  return { agent, model };
}
