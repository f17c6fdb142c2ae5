import type { ContextManifest, Interruption, ModelUsage, ToolResultStatus } from "@jaf/core";
import type { ContentPart, Message } from "@jaf/memory";
import type { TurnEnd, TurnError, TurnEvent } from "../turns/turn-event.ts";
import type { Serialized } from "./serialized.ts";

/** What a call waits for, as JSON has it: `expiresAt` is an ISO text. */
export type WaitingCall = Serialized<Interruption>;

/** A part of a reply on its way. Neighbouring pieces of text, or of reasoning, are one. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "part"; readonly part: ContentPart };

/**
 * - `"called"`: the reply asks for it; it hasn't begun.
 * - `"waiting"`: for an approval or for the client's result, see `waitsFor`.
 * - the others: it has ended, see `ToolResultStatus`.
 */
export type ToolState = "called" | "running" | "waiting" | ToolResultStatus;

export interface ToolItem {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  /** Parsed, once the call has begun; before that as the model wrote them. */
  readonly args: unknown;
  readonly state: ToolState;
  readonly result?: string;
  readonly parts?: readonly ContentPart[];
  readonly durationMs?: number;
  readonly waitsFor?: WaitingCall;
  /** How often it began: more than once where another process went on with the turn. */
  readonly starts: number;
}

export interface MessageItem {
  readonly type: "message";
  readonly agentName: string;
  /** Of the user or of the assistant. Results of tools are with their calls. */
  readonly message: Message;
  readonly stopped?: true;
}

export interface HandoffItem {
  readonly type: "handoff";
  readonly from: string;
  readonly to: string;
}

export type TurnItem = MessageItem | ToolItem | HandoffItem;

export type ModelCallEvent = Extract<TurnEvent, { readonly type: "model_call" }>;

/** What a page shows of a turn. Everything that was said is in it once: as an item, or as a piece of the reply on its way. */
export interface TurnView {
  readonly turnId: string | undefined;
  readonly conversationId: string | undefined;
  /** Who speaks now. */
  readonly agentName: string | undefined;
  /** How many events are in the view: the next has this number. */
  readonly events: number;
  readonly status: "starting" | "running" | TurnEnd["status"];
  /** In order. */
  readonly items: readonly TurnItem[];
  /** Of the reply on its way, after all items. */
  readonly pieces: readonly Piece[];
  /** Why the last pieces were removed, until others come. */
  readonly retracted: Extract<TurnEvent, { readonly type: "retract" }>["reason"] | undefined;
  /** All messages of the turn, in order, with results of tools. */
  readonly messages: readonly Message[];
  /** What each model call was given. */
  readonly contexts: readonly ContextManifest[];
  readonly modelCalls: readonly ModelCallEvent[];
  readonly interruptions: readonly WaitingCall[];
  readonly error?: TurnError;
  readonly usage?: ModelUsage;
  readonly output?: unknown;
  /** The conversation's version after the turn. */
  readonly version?: number;
}

/** A turn of which nothing is known yet. */
export const emptyTurn: TurnView = {
  turnId: undefined,
  conversationId: undefined,
  agentName: undefined,
  events: 0,
  status: "starting",
  items: [],
  pieces: [],
  retracted: undefined,
  messages: [],
  contexts: [],
  modelCalls: [],
  interruptions: [],
};
