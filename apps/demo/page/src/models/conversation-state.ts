import type { FoldedTurn, PositionedMessage, WaitingCall } from "@jaf/server/client";
import type { SeenCalls } from "../chat/seen-calls.ts";
import type { SentText } from "./sent-texts.ts";
import { failureText, isUnreachable } from "./server.ts";
import type { StoppedTurn } from "./turn-record.ts";

/** The open conversation as the page shows it. */
export interface ConversationState {
  readonly conversationId: string | undefined;
  readonly status: "new" | "loading" | "ready" | "missing" | "failed";
  readonly title: string | undefined;
  readonly version: number;
  readonly messages: readonly PositionedMessage[];
  readonly earlier: boolean;
  /** The user's new message, until the stored messages include it. */
  readonly said: string | undefined;
  /** What the user said while a turn ran, until a turn has taken it. */
  readonly sent: readonly SentText[];
  readonly turn: FoldedTurn | undefined;
  readonly seen: SeenCalls;
  /** The calls that wait for an approval. */
  readonly waiting: readonly WaitingCall[];
  /** `false` without a connection: the reply continues on the server, and is shown after a reconnection. */
  readonly connected: boolean;
  /** The stopped turns with messages that still exist. */
  readonly stopped: readonly StoppedTurn[];
  readonly failure: string | undefined;
  /** Whether the failure ends when the server can be reached again. */
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
  sent: [],
  turn: undefined,
  seen: new Map(),
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
