import type { Message, RunState } from "@jaf/core";
import { assertType, type MyContext, type Same } from "./support.ts";

declare namespace Spec {
  export type Message = {
    readonly role: "user" | "assistant" | "tool";
    readonly content: string;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly type: "function";
      readonly function: {
        readonly name: string;
        readonly arguments: string;
      };
    }[];
  };
}

assertType<Same<Spec.Message, Message>>();

// Example conversation flow
export const messages: Message[] = [
  {
    role: "user",
    content: "What is the weather in San Francisco?",
  },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      {
        id: "call_123",
        type: "function",
        function: {
          name: "get_weather",
          arguments: '{"location": "San Francisco"}',
        },
      },
    ],
  },
  {
    role: "tool",
    content: '{"temperature": 68, "condition": "sunny"}',
    tool_call_id: "call_123",
  },
  {
    role: "assistant",
    content: "The weather in San Francisco is currently 68°F and sunny.",
  },
];

export function append(state: RunState<MyContext>, assistantMessage: Message) {
  // Correct: Create new array with additional message
  const newMessages = [...state.messages, assistantMessage];

  // Incorrect: Mutation
  // @ts-expect-error
  state.messages.push(assistantMessage); // This would cause TypeScript error
  return newMessages;
}
