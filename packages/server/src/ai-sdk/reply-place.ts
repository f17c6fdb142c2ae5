import type { RichMessage } from "@jaf/memory";

/** The UI message that a turn writes. */
export interface ReplyPlace {
  /** Where it begins in the conversation. */
  readonly position: number;
  /** What of it was there before the turn: the turn goes on with calls that waited. */
  readonly before: readonly RichMessage[];
}

interface StoredMessages {
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
}

/**
 * Where the reply of a turn is whose first own message has the position `turnPosition`. The turn may have stored some of its
 * messages already, or none, not even what the user said.
 */
export function replyPlace({ messages, firstPosition }: StoredMessages, turnPosition: number): ReplyPlace {
  const length = turnPosition - firstPosition;
  const earlier = messages.slice(0, Math.max(0, length));
  const own = messages.slice(earlier.length);
  // Said as part of a history that was sent along.
  const said = own.findIndex(({ role }) => role !== "user");
  const isMissing = earlier.length !== length;
  if (said > 0 || isMissing || earlier.at(-1)?.role === "user") {
    return { position: turnPosition + Math.max(0, said), before: [] };
  }
  const begun = replyStart(earlier);
  return { position: firstPosition + begun, before: earlier.slice(begun) };
}

/** The index of the first reply since the user spoke; how many messages there are if there is none. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}
