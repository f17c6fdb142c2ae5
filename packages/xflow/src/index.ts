// What an application gives to a state, and what it gets

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

// What is wrong with a state, or with a run's expressions

export { AgentStateError, type AgentStateIssue } from "./state-file/issues.ts";
export type { TemplateError } from "./template/template.ts";
