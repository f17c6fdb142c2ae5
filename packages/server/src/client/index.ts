// The client

export { offTheRecord } from "@jaf/memory/internal";
export type { ClientPart } from "../http/client-content.ts";
export {
  type AgentList,
  type AgentSummary,
  type ChatRequest,
  createJafClient,
  type JafClient,
  type JafClientOptions,
  type OpenTurn,
  type TurnAnswer,
} from "./client.ts";
export { isJafClientError, JafClientError, type JafClientErrorDetails } from "./client-error.ts";
export type { CallOptions, ClientHeaders, Fetch, Serialized } from "./http.ts";

// Its methods

export type { ApprovalMethods, PendingApprovalEntry } from "./approvals.ts";
export type {
  Conversation,
  ConversationMethods,
  ConversationPage,
  ConversationSummary,
  CopyRequest,
  EditRequest,
  LoadedChat,
  MessageMatch,
  MessageQuery,
  PositionedMessage,
  RegenerateRequest,
  SendRequest,
  TurnEvents,
  TurnState,
  TurnSummary,
} from "./conversations.ts";
export type {
  ExplainedFact,
  Fact,
  FactFinding,
  FactMethods,
  FactReceipt,
  FactRemedyOutcome,
  FactReport,
} from "./facts.ts";
export type { LedgerMethods, LedgerReport, OwnLedgerQuery, WholeLedgerQuery } from "./ledger.ts";
export type { ConversationTimer, SetTimerRequest, TimerMethods } from "./timers.ts";

// Turns

export type { InnerTurnEvent, ModelCallEvent } from "../turns/turn-event.ts";
export { emptyTurn, type FoldedTurn, foldTurn, isRunning, type Piece } from "./fold-turn.ts";
export type { FollowedEvent, FollowOptions, ReconnectOptions } from "./follow.ts";
export {
  callsIn,
  type HandoffItem,
  type InputItem,
  type MessageItem,
  type ToolItem,
  type ToolState,
  type TurnItem,
  type WaitingApproval,
  type WaitingCall,
  type WaitingClientTool,
} from "./turn-items.ts";

// The AI SDK's messages

export { visibleParts } from "./ai-sdk.ts";
