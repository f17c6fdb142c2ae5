export type { RunStates, TakeOptions } from "./run-states.ts";
export { type ConversationSession, createSession } from "./session.ts";
export type { SessionSettings } from "./settings.ts";
