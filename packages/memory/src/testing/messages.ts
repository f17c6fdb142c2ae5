import type { Message, RichMessage } from "../message.ts";

export const user = (content: string): Message => ({ role: "user", content });

export const assistant = (content: string): Message => ({ role: "assistant", content });

export const users = (...texts: readonly string[]): readonly Message[] => texts.map(user);

/** One assistant message that calls a tool once for each id. */
export const calling = (...callIds: readonly string[]): Message => ({
  role: "assistant",
  content: `calls ${callIds.join()}`,
  tool_calls: callIds.map((id) => ({
    id,
    type: "function",
    function: { name: "look_up", arguments: `{"id": "${id}"}` },
  })),
});

export const answering = (callId: string): Message => ({
  role: "tool",
  content: `answers ${callId}`,
  tool_call_id: callId,
});

/** What stores accept beyond the static type. */
export const rich = (message: RichMessage): Message => message as Message;

/** What the types forbid and JavaScript callers send all the same. */
export const hostile = (value: unknown): never => value as never;
