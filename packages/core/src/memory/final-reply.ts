import type { Message } from "@jaf/memory";

/** Whether it is a reply that ends a turn. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
