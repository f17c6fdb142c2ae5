import type { Message } from "@jaf/memory";
import type { Resume } from "../config.ts";

/** What a client sent of the conversation. */
export interface Sent {
  /** Its copy of the history and what it adds; with a token, what it adds alone. A list only once it is checked. */
  readonly messages: readonly Message[];
  /** As it came. Absent: it sent a copy. */
  readonly historyToken?: unknown;
}

/** `undefined`: it sent neither messages nor a token. */
export function sentIn({ messages, historyToken }: Resume): Sent | undefined {
  if (historyToken !== undefined) return { messages: messages ?? [], historyToken };
  return messages === undefined ? undefined : { messages };
}

export const isByToken = (sent: Sent | undefined): boolean => sent?.historyToken !== undefined;
