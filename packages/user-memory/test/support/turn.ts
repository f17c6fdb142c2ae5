import type { CompletionRequest, MiddlewareTurn } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { createRunId, createTraceId } from "@jaf/memory/internal";

export interface TurnFields extends Partial<MiddlewareTurn<unknown>> {
  /** The model's replies, in order. The last one repeats. */
  readonly replies?: readonly (string | Error)[];
}

export interface AskedTurn extends MiddlewareTurn<unknown> {
  readonly asked: readonly CompletionRequest[];
}

export const user = (content: string): Message => ({ role: "user", content });
export const assistant = (content: string): Message => ({ role: "assistant", content });

/** Returns a turn as from the engine, with a scripted model. */
export function turnOf(said: readonly string[], { replies = [], ...fields }: TurnFields = {}): AskedTurn {
  const messages = said.map(user);
  const asked: CompletionRequest[] = [];
  return {
    state: {
      runId: createRunId("r"),
      traceId: createTraceId("t"),
      messages,
      currentAgentName: "a",
      context: {},
      turnCount: 0,
    },
    userMessages: messages,
    isContinuation: false,
    agentName: "a",
    startedAt: Date.now(),
    complete: async (request) => {
      asked.push(request);
      const reply = replies[Math.min(asked.length, replies.length) - 1] ?? '{"facts":[]}';
      if (reply instanceof Error) throw reply;
      return reply;
    },
    asked,
    ...fields,
  };
}
