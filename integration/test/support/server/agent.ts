import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createTool, type ModelProvider } from "@jaf/core";
import { messageText } from "@jaf/memory/history";
import * as z from "zod";

const PIECES_BEFORE = 5;
const PIECES_AFTER = 30;
const PIECE_MS = 20;

const piecesOf = (topic: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${topic}${index} `);

/** The agent's texts about `topic` before and after its call. */
export const spokenOn = (topic: string): readonly [string, string] => [
  piecesOf(`${topic}a`, PIECES_BEFORE).join(""),
  piecesOf(`${topic}b`, PIECES_AFTER).join(""),
];

/** Streams some pieces, calls the tool, and streams more. The history determines the position. */
export const slowModel: ModelProvider<unknown> = {
  getCompletion: () => Promise.reject(new Error("This model only streams.")),
  getCompletionStream: async function* ({ messages }, _agent, config) {
    const said = messages.findLast(({ role }) => role === "user");
    const topic = said === undefined ? "" : messageText(said);
    const isCalled = messages.at(-1)?.role === "tool";
    const pieces = isCalled ? piecesOf(`${topic}b`, PIECES_AFTER) : piecesOf(`${topic}a`, PIECES_BEFORE);
    for (const text of pieces) {
      await sleep(PIECE_MS, undefined, { signal: config.signal });
      yield { type: "text_delta", text };
    }
    if (!isCalled)
      yield { type: "tool_call_delta", id: "call-1", name: "note", arguments: JSON.stringify({ topic }) };
    yield { type: "done" };
  },
};

/** An agent with one slow tool that appends each execution, with its idempotency key, to a file. */
export const agentWith = (ledger: string): Agent<unknown, string> => ({
  name: "writer",
  instructions: "Write.",
  tools: [
    createTool({
      name: "note",
      description: "Notes the topic.",
      parameters: z.object({ topic: z.string() }),
      execute: async ({ topic }, _context, call) => {
        await sleep(100);
        appendFileSync(ledger, `${JSON.stringify({ topic, idempotencyKey: call?.idempotencyKey })}\n`);
        return `noted ${topic}`;
      },
    }),
  ],
});
