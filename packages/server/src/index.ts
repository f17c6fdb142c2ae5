// The server

export { createServerApp, type ServerApp } from "./app.ts";
export type { ClientFile } from "./http/client-content.ts";
export { TurnFailedError, type TurnFailure } from "./jobs/turn-failed-error.ts";
export type { TurnSharing, TurnTiming } from "./jobs/turn-options.ts";
export type { NodeHandler } from "./node-handler.ts";
export type { ServedAgents, ServerAppOptions, ServerLimits, ServerRunConfig } from "./options.ts";
export { type RunningServer, runServer, type ServerOptions } from "./run-server.ts";
export { timerTools } from "./tools/timer-tools.ts";

// Turns

export type {
  ConversationTimer,
  SetTimerResult,
  TimerRequest,
  TimerService,
  TimerTime,
} from "./turns/timer-service.ts";
export { TurnNotContinuedError } from "./turns/turn-errors.ts";
export type {
  ContextEvent,
  HandoffEvent,
  InputEvent,
  InterruptionEvent,
  ModelCallEvent,
  PartEvent,
  ReasoningEvent,
  RetractEvent,
  TextEvent,
  ToolEndEvent,
  ToolStartEvent,
  TurnEnd,
  TurnError,
  TurnEvent,
  TurnMessageEvent,
  TurnStartEvent,
} from "./turns/turn-event.ts";
export type {
  FollowQuery,
  Identity,
  NumberedEvent,
  StartedTurn,
  TurnEdit,
  TurnRefusal,
  TurnRequest,
  TurnService,
  TurnTarget,
} from "./turns/turn-service.ts";

// Turn records

export type { RecordedCall, TurnRecord } from "./jobs/turn-record.ts";

// Protocols

export type { EncodedTurn, Encoder } from "./http/encoder.ts";
