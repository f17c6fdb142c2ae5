import type { FoldedTurn, PositionedMessage, WaitingCall } from "@jaf/server/client";
import { failureText, isUnreachable } from "./server.ts";
import type { StoppedTurn } from "./turn-record.ts";

/** The conversation that is open, as the page shows it. */
export interface ConversationState {
  readonly conversationId: string | undefined;
  readonly status: "new" | "loading" | "ready" | "missing" | "failed";
  readonly title: string | undefined;
  readonly version: number;
  readonly messages: readonly PositionedMessage[];
  readonly earlier: boolean;
  /** What the user has just said, until the stored messages have it. */
  readonly said: string | undefined;
  readonly turn: FoldedTurn | undefined;
  /** The calls that wait for a decision. */
  readonly waiting: readonly WaitingCall[];
  /** `false`: the reply goes on at the server, and is shown once the connection is back. */
  readonly connected: boolean;
  /** The turns that were stopped, and whose messages are still there. */
  readonly stopped: readonly StoppedTurn[];
  readonly failure: string | undefined;
  /** The failure is over once the server can be reached again. */
  readonly failurePasses: boolean;
}

export const EMPTY: ConversationState = {
  conversationId: undefined,
  status: "new",
  title: undefined,
  version: 0,
  messages: [],
  earlier: false,
  said: undefined,
  turn: undefined,
  waiting: [],
  connected: true,
  stopped: [],
  failure: undefined,
  failurePasses: false,
};

export const failureOf = (thrown: unknown): Pick<ConversationState, "failure" | "failurePasses"> => ({
  failure: failureText(thrown),
  failurePasses: isUnreachable(thrown),
});
