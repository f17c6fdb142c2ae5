import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createTool, type ModelProvider, type RunConfig } from "@jaf/core";
import type { Message } from "@jaf/memory";
import * as z from "zod";
import { messagesOf, planOf, TOOL, tokenOf } from "./plan.ts";

export const AGENT = "helper";

export interface TurnContext {
  readonly token: string;
  readonly onAsked: () => void;
}

const lookUp = createTool({
  name: TOOL,
  description: "Looks a token up.",
  parameters: z.object({ token: z.string() }),
  execute: async ({ token }, { token: expected }: Readonly<TurnContext>) => {
    await sleep(Math.random());
    if (token !== expected) throw new Error(`the tool call of ${token} got into ${expected}`);
    return `${token} found`;
  },
});

const agent: Agent<TurnContext, string> = { name: AGENT, instructions: () => "Help.", tools: [lookUp] };

/** The next message of the conversation's last turn. */
function nextMessage(messages: readonly Message[], token: string): Message {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[start];
  const plan = question === undefined ? undefined : planOf(question);
  const next = plan === undefined ? undefined : messagesOf(plan)[messages.length - start];
  if (plan === undefined || next === undefined || tokenOf(plan) !== token)
    throw new Error(`the model of ${token} sees another turn`);
  return next;
}

function createModel(modelMs: number): ModelProvider<TurnContext> {
  return {
    getCompletion: async ({ messages, context }) => {
      context.onAsked();
      await sleep(Math.random() * modelMs);
      return { message: nextMessage(messages, context.token) };
    },
  };
}

/** Answers each turn as planned, and only the turn of the request. */
export const createTurnConfig = (
  modelMs: number,
): Pick<RunConfig<TurnContext>, "agentRegistry" | "modelProvider"> => ({
  agentRegistry: new Map([[AGENT, agent]]),
  modelProvider: createModel(modelMs),
});
