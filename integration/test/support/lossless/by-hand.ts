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

/** Two models of one service and three other services, each with a tool turn and a further turn. */
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

/** One agent with a window that shows only its last turns. */
export const inWindow = (agent: string): Plan => ({
  ...fourServices,
  name: `${agent} in a window`,
  turns: Array.from({ length: 4 }, (_, index) => ({
    ...turnOf(agent),
    replies: [{ thoughts: ["Hm."], text: `Reply ${index} of ${agent}.` }],
  })),
  memory: { window: { maxMessages: 4 } },
});

/** An agent hands off in the middle of a turn. */
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

/** Changes the messages that the providers receive. */
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

/** Possible faults of an engine, a store or a provider, and the checks that must notice them. */
export const SABOTAGES: readonly {
  readonly what: string;
  readonly change: Change;
  readonly expected: readonly string[];
}[] = [
  {
    what: "missing reasoning",
    change: (message) => withParts(message, (parts) => parts.filter(({ type }) => type !== "reasoning")),
    expected: ["broken"],
  },
  {
    what: "reasoning after the text",
    change: (message) => withParts(message, (parts) => parts.toReversed()),
    expected: ["refused", "wrong"],
  },
  {
    what: "a changed letter in an opaque value",
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
    what: "another model's message with this model's origin",
    change: (message, model) =>
      message.origin === undefined ? message : { ...message, origin: { ...message.origin, model } },
    expected: ["refused", "wrong"],
  },
  {
    what: "messages without an origin",
    change: ({ origin: _, ...message }) => message,
    expected: ["broken"],
  },
  {
    what: "a call without its provider metadata, replaced by a placeholder",
    change: ({ tool_calls: calls, ...message }) =>
      calls === undefined
        ? message
        : { ...message, tool_calls: calls.map(({ providerMetadata: _, ...call }) => call) as typeof calls },
    expected: ["broken"],
  },
];
