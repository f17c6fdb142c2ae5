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
 * Where the reply of a turn is whose first message has the position `turnPosition`. The turn may have stored some of its
 * messages already, or none.
 */
export function replyPlace({ messages, firstPosition }: StoredMessages, turnPosition: number): ReplyPlace {
  const start = Math.max(0, turnPosition - firstPosition);
  const earlier = messages.slice(0, start);
  const begun = replyStart(earlier);
  const waits = begun < earlier.length && hasOpenCalls(earlier.slice(begun));
  const first = messages[start];
  if (first === undefined ? waits : first.role !== "user") {
    return { position: firstPosition + begun, before: earlier.slice(begun) };
  }
  const said = messages.slice(start).findIndex(({ role }) => role !== "user");
  const asked = said >= 0 ? said : Math.max(1, messages.length - start);
  return { position: turnPosition + asked, before: [] };
}

/** The index of the first reply since the user spoke; how many messages there are if there is none. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}

function hasOpenCalls(replies: readonly RichMessage[]): boolean {
  const last = replies.findLastIndex(({ role }) => role === "assistant");
  const calls = replies[last]?.tool_calls ?? [];
  return replies.slice(last + 1).filter(({ role }) => role === "tool").length < calls.length;
}
