import type { Message } from "@jaf/memory";

/** Whether the message is a reply that ends a turn: an assistant message without tool calls. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
