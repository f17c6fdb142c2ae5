import type { Message, TokenContinuation } from "@jaf/memory";
import type { RunConfig } from "../config.ts";

/** What a client sent, in either form. */
export interface Sent {
  /** Its copy of the history and what it adds; with a token, what it adds alone. */
  readonly messages: readonly Message[];
  /** As it came. Absent: it sent a copy. */
  readonly historyToken?: unknown;
}

type GivenContinuation = RunConfig<unknown>["continuation"];

export const isByToken = (continuation: GivenContinuation): continuation is TokenContinuation =>
  typeof continuation === "object" &&
  continuation !== null &&
  !Array.isArray(continuation) &&
  "historyToken" in continuation;

/** What is neither a list nor has a token is left to whoever checks it. */
export function sentIn(continuation: GivenContinuation): Sent {
  if (continuation === undefined) return { messages: [] };
  if (!isByToken(continuation)) return { messages: continuation };
  return { messages: continuation.messages ?? [], historyToken: continuation.historyToken };
}
