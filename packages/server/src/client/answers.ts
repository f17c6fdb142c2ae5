import type { ModelUsage } from "@jaf/core";
import type { Message } from "@jaf/memory";
import type { FactExplanation, ForgetDetails, UserFact } from "@jaf/user-memory";
import type { TurnEnd, TurnError } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import type { Serialized } from "./serialized.ts";
import type { WaitingCall } from "./turn-view.ts";

export type RunningState = "running" | "waiting" | "ended";

export interface AgentSummary {
  readonly name: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly runs: "server" | "client";
    /** Whether calls of it may wait for an approval. */
    readonly approval: boolean;
  }[];
}

export interface AgentList {
  readonly agents: readonly AgentSummary[];
  readonly defaultAgent: string;
}

export interface ConversationSummary {
  readonly conversationId: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly lastActivity: string;
  /** How many messages it has. */
  readonly messages: number;
  readonly version: number;
  readonly turn?: { readonly turnId: string; readonly state: RunningState };
}

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  readonly nextCursor?: string;
}

export interface PositionedMessage {
  /** Counted from the conversation's first message. */
  readonly position: number;
  readonly message: Message;
}

export interface Conversation {
  readonly conversationId: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly version: number;
  readonly messages: readonly PositionedMessage[];
  /** Whether there are messages before the first of these. */
  readonly earlier: boolean;
  readonly turn?: {
    readonly turnId: string;
    readonly state: RunningState;
    /** How many it has so far. */
    readonly events: number;
  };
}

export interface TurnAnswer {
  readonly conversationId: string;
  readonly turnId: string;
  readonly status: TurnEnd["status"];
  readonly text: string;
  readonly messages: readonly Message[];
  readonly output?: unknown;
  readonly interruptions: readonly WaitingCall[];
  readonly error?: TurnError;
  readonly version?: number;
  readonly usage?: ModelUsage;
  readonly spent?: TurnEnd["spent"];
}

export interface TurnEvents {
  readonly turnId: string;
  readonly state: RunningState;
  readonly events: readonly NumberedEvent[];
}

/** What a turn left. */
export interface TurnSummary {
  readonly turnId: string;
  readonly state: RunningState;
  readonly startedAt: string;
  /** What the model saw. Absent while it runs. */
  readonly record?: unknown;
}

export interface PendingApprovalEntry {
  readonly conversationId: string;
  readonly title: string | null;
  readonly turnId: string;
  readonly interruption: WaitingCall;
}

export type Fact = Serialized<UserFact>;
export type FactReceipt = Serialized<ForgetDetails>;
export type ExplainedFact = Serialized<FactExplanation>;
