export { shownParts } from "./ai-sdk.ts";
export type {
  AgentList,
  AgentSummary,
  Conversation,
  ConversationPage,
  ConversationSummary,
  ExplainedFact,
  Fact,
  FactReceipt,
  PendingApprovalEntry,
  PositionedMessage,
  RunningState,
  TurnAnswer,
  TurnEvents,
  TurnSummary,
} from "./conversations.ts";
export type { ApprovalMethods } from "./approvals.ts";
export type { ReconnectOptions } from "./follow.ts";
export { createJafClient, type JafClient, type JafClientOptions } from "./client.ts";
export { isJafClientError, JafClientError, type JafClientErrorDetails } from "./client-error.ts";
export type { ConversationMethods } from "./conversations.ts";
export type { FactMethods } from "./facts.ts";
export { foldTurn, isRunning } from "./fold-turn.ts";
export type { FollowedEvent, FollowOptions } from "./follow.ts";
export type { CallOptions, ClientHeaders, Fetch } from "./http.ts";
export type { ChatRequest, CopyRequest, EditRequest, RegenerateRequest } from "./conversations.ts";
export type { Serialized } from "./http.ts";
export { callsIn } from "./fold-turn.ts";
export {
  emptyTurn,
  type HandoffItem,
  type MessageItem,
  type ModelCallEvent,
  type Piece,
  type ToolItem,
  type ToolState,
  type TurnItem,
  type TurnView,
  type WaitingCall,
} from "./fold-turn.ts";
