import type { ModelProvider } from "@jaf/core";
import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import type { Plan, PlannedTurn } from "./plan.ts";

const turnOf = (agent: string): PlannedTurn => ({
  said: `Hello ${agent}`,
  agent,
  replies: [
    { thoughts: ["First."], calls: [{ name: "find", input: { by: agent } }] },
    { thoughts: ["Then."], text: `Found by ${agent}.` },
  ],
  isStreamed: false,
  sentAs: "said",
  before: "nothing",
});

/** Two models of one service, and three more services, each with a turn of tools and once more behind it. */
export const fourServices: Plan = {
  name: "four services",
  turns: [
    ...["olderClaude", "claude", "gpt", "responsesGpt", "gemini"].map(turnOf),
    ...["olderClaude", "gpt", "responsesGpt", "gemini"].map((agent) => ({
      ...turnOf(agent),
      replies: [{ text: `Bye, ${agent}.` }],
    })),
  ],
  memory: {},
  tools: ["find"],
  approvals: [],
  results: new Map(),
};

/** One agent, of whose turns a window shows the last. */
export const inWindow = (agent: string): Plan => ({
  ...fourServices,
  name: `${agent} in a window`,
  turns: Array.from({ length: 4 }, (_, index) => ({
    ...turnOf(agent),
    replies: [{ thoughts: ["Hm."], text: `Reply ${index} of ${agent}.` }],
  })),
  memory: { window: { maxMessages: 4 } },
});

/** An agent hands the turn to another in its middle. */
export const handedOver = (from: string, to: string): Plan => ({
  ...fourServices,
  name: `${from} to ${to}`,
  turns: [
    {
      ...turnOf(from),
      replies: [
        { thoughts: ["Not me."], calls: [{ name: "handoff", input: { agentName: to } }] },
        ...turnOf(to).replies,
      ],
    },
  ],
});

type Change = (message: RichMessage, model: string) => RichMessage;

/** Changes what the providers get of the conversation. */
export const changing =
  (change: Change) =>
  (provider: ModelProvider<unknown>): ModelProvider<unknown> => ({
    getCompletion: (state, agent, config) => {
      const model = agent.modelConfig?.name ?? "";
      const messages = state.messages.map((message) => change(message, model)) as readonly Message[];
      return provider.getCompletion({ ...state, messages }, agent, config);
    },
  });

const withParts = (
  message: RichMessage,
  change: (parts: readonly ContentPart[]) => readonly ContentPart[],
) =>
  typeof message.content === "string" || message.content === null
    ? message
    : { ...message, content: change(message.content) };

/** Some faults that an engine, a store or a provider could have, and what is to show them. */
export const SABOTAGES: readonly {
  readonly what: string;
  readonly change: Change;
  readonly expected: readonly string[];
}[] = [
  {
    what: "what was thought is left out",
    change: (message) => withParts(message, (parts) => parts.filter(({ type }) => type !== "reasoning")),
    expected: ["broken"],
  },
  {
    what: "what was thought comes behind what was said",
    change: (message) => withParts(message, (parts) => parts.toReversed()),
    expected: ["refused", "wrong"],
  },
  {
    what: "one letter of what is opaque is another",
    change: (message) =>
      JSON.parse(
        JSON.stringify(message).replace(
          /"(signature|encrypted|reasoningEncryptedContent|thoughtSignature)":"./,
          '"$1":"!',
        ),
      ),
    expected: ["refused", "wrong"],
  },
  {
    what: "a message of another model counts as this one's",
    change: (message, model) =>
      message.origin === undefined ? message : { ...message, origin: { ...message.origin, model } },
    expected: ["refused", "wrong"],
  },
  {
    what: "nobody knows whose a message is",
    change: ({ origin: _, ...message }) => message,
    expected: ["broken"],
  },
  {
    what: "a call loses what the provider put beside it, and a word stands for it",
    change: ({ tool_calls: calls, ...message }) =>
      calls === undefined
        ? message
        : { ...message, tool_calls: calls.map(({ providerMetadata: _, ...call }) => call) as typeof calls },
    expected: ["broken"],
  },
];
