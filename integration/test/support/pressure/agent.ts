import type { Agent, RunConfig } from "@jaf/core";

const echo: Agent<object, string> = { name: "echo", instructions: () => "Repeat what the user says." };

export const replyTo = (said: string): string => `you said ${said}`;

/** A model that answers immediately, so only the store takes time. */
export const echoing: Pick<RunConfig<object>, "agentRegistry" | "modelProvider"> = {
  agentRegistry: new Map([["echo", echo]]),
  modelProvider: {
    getCompletion: async ({ messages }) => ({
      message: { content: replyTo(String(messages.at(-1)?.content)) },
    }),
  },
};
