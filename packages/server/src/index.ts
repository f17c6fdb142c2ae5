export { createServerApp, type ServerApp } from "./app.ts";
export type { EncodedTurn, Encoder } from "./http/encoder.ts";
export type { Identity } from "./turns/turn-service.ts";
export type { ServedAgents, ServerAppOptions, ServerLimits, ServerRunConfig } from "./options.ts";
export { type RunningServer, runServer, type ServerOptions } from "./run-server.ts";
export type { TurnEnd, TurnError, TurnEvent } from "./turns/turn-event.ts";
export type { RecordedCall, TurnRecord } from "./jobs/turn-record.ts";
export type {
  FollowQuery,
  NumberedEvent,
  StartedTurn,
  TurnEdit,
  TurnRefusal,
  TurnRequest,
  TurnService,
  TurnTarget,
} from "./turns/turn-service.ts";
