export type { AgentState, AgentStateResult, AgentStateRun, TransitionReason } from "./agent-state.ts";
export type { JqLimits } from "./jq/jq-limits.ts";
export { loadAgentState } from "./load-agent-state.ts";
export type {
  AgentStateLimits,
  LoadAgentStateOptions,
  RegisteredModel,
  StateRunConfig,
  ToolFunction,
} from "./options.ts";
export { AgentStateError, type AgentStateIssue } from "./state-file/agent-state-error.ts";
export type { TemplateError } from "./template/template-error.ts";
