// Loading and running a state

export type { AgentState, AgentStateResult, AgentStateRun, TransitionReason } from "./agent-state.ts";
export { loadAgentState } from "./load-agent-state.ts";
export type {
  AgentStateLimits,
  JqLimits,
  LoadAgentStateOptions,
  RegisteredModel,
  StateRunConfig,
  ToolFunction,
} from "./options.ts";

// Errors of a state, and of its expressions in a run

export { AgentStateError, type AgentStateIssue } from "./state-file/issues.ts";
export type { TemplateError } from "./template/template.ts";
