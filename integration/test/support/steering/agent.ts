import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createTool, type Durability, type ModelProvider } from "@jaf/core";
import { type Message, sanitizeConversation } from "@jaf/memory";
import * as z from "zod";
import type { Mortal } from "../crash/saboteur.ts";
import type { Notes } from "./notes.ts";
import { saidIn } from "./words.ts";

/** What the processes of one program share. */
export interface Script {
  readonly notes: Notes;
  readonly durability: Durability;
  /** Numbers the replies and the calls of the program. */
  readonly next: () => number;
}

/** The calls of a step: by the number of the last message that the turn took, and by the steps of the turn so far. */
const STEPS: readonly (readonly string[])[] = [[], ["work"], ["pay"], ["work", "work"], [], ["work", "pay"]];
const MOST_STEPS = 3;

/** A whole reply. It names its number and how many messages of the user the model saw. */
export const REPLY = /^r(\d+) saw (\d+)\.$/;

const isCalling = ({ tool_calls: calls = [] }: Message): boolean => calls.length > 0;

function callsFor(messages: readonly Message[]): readonly string[] {
  const last = messages.findLastIndex((message) => message.role === "assistant" && !isCalling(message));
  const turn = messages.slice(last + 1);
  const steps = turn.filter(isCalling).length;
  const said = Number(/\d+$/.exec(saidIn(turn).at(-1) ?? "")?.[0] ?? 0);
  return steps >= MOST_STEPS ? [] : (STEPS[(said + steps) % STEPS.length] ?? []);
}

/** A model that decides by the messages alone, and takes a little time. */
export function scriptedModel({ notes, next }: Script, mortal: Mortal): ModelProvider<unknown> {
  return {
    getCompletion: () => Promise.reject(new Error("This model only streams.")),
    getCompletionStream: async function* ({ messages, traceId }, _agent, { signal }) {
      const number = next();
      const called = mortal.call({ label: "model", on: "model" }, async () => {
        const isValid = sanitizeConversation(messages) === messages;
        notes.add({ type: "model", turnId: traceId, texts: saidIn(messages), isValid });
      });
      await called.catch((thrown: unknown) => {
        notes.add({ type: "model failed", turnId: traceId });
        throw thrown;
      });
      yield { type: "text_delta", text: `r${number} saw ` };
      await sleep(number % 4, undefined, signal && { signal });
      yield { type: "text_delta", text: `${saidIn(messages).length}.` };
      for (const [index, name] of callsFor(messages).entries())
        yield { type: "tool_call_delta", index, id: `call-${next()}`, name, arguments: "{}" };
      yield { type: "done" };
    },
  };
}

export function scriptedAgent({ notes, next }: Script, mortal: Mortal): Agent<unknown, string> {
  const toolOf = (tool: string, needsApproval: boolean) =>
    createTool({
      name: tool,
      description: tool,
      parameters: z.object({}),
      needsApproval,
      execute: (_, __, call) =>
        mortal.call({ label: tool, on: "tool" }, async () => {
          const { toolCallId: callId = "", idempotencyKey: key = "" } = call ?? {};
          notes.add({ type: "run", tool, callId, key });
          await sleep(next() % 3);
          return `${tool} is done`;
        }),
    });
  return { name: "helper", instructions: "Help.", tools: [toolOf("work", false), toolOf("pay", true)] };
}
