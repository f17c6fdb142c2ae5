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
} from "./answers.ts";
export type { ApprovalMethods } from "./approvals.ts";
export type { ReconnectOptions } from "./backoff.ts";
export { createJafClient, type JafClient, type JafClientOptions } from "./client.ts";
export { isJafClientError, JafClientError, type JafClientErrorDetails } from "./client-error.ts";
export type { ConversationMethods } from "./conversations.ts";
export type { FactMethods } from "./facts.ts";
export { foldTurn, isRunning } from "./fold-turn.ts";
export type { FollowedEvent, FollowOptions } from "./follow.ts";
export type { CallOptions, ClientHeaders, Fetch } from "./http.ts";
export type { ChatRequest, CopyRequest, EditRequest, RegenerateRequest } from "./requests.ts";
export type { Serialized } from "./serialized.ts";
export { callsIn } from "./tool-items.ts";
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
} from "./turn-view.ts";
