/**
 * Where a history that keeps at most `maxMessages` begins: the oldest go, and a tool result never stays without the
 * call before it. When the cut falls into the last group of call and results, that group stays whole.
 */
export function trimStart<T>(
  messages: readonly T[],
  maxMessages: number,
  isToolResult: (message: T) => boolean,
): number {
  const cut = messages.length - maxMessages;
  if (cut <= 0) return 0;
  for (let index = cut; index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && !isToolResult(message)) return index;
  }
  const lastGroup = messages.findLastIndex((message) => !isToolResult(message));
  return lastGroup === -1 ? cut : lastGroup;
}
