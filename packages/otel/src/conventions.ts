/**
 * The commit of open-telemetry/semantic-conventions-genai (2026-10-02, its development version) whose names this
 * package uses. It has neither releases nor tags yet.
 */
export const CONVENTIONS_COMMIT = "e07f4ebacb08f56db8c4c882d117720333fbca04";

/** The attributes of the conventions that this package sets. */
export const GEN_AI = {
  agentName: "gen_ai.agent.name",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
  compacted: "gen_ai.conversation.compacted",
  conversationId: "gen_ai.conversation.id",
  errorType: "error.type",
  finishReasons: "gen_ai.response.finish_reasons",
  inputMessages: "gen_ai.input.messages",
  inputTokens: "gen_ai.usage.input_tokens",
  maxTokens: "gen_ai.request.max_tokens",
  memoryQuery: "gen_ai.memory.query.text",
  memoryRecordCount: "gen_ai.memory.record.count",
  memoryRecordId: "gen_ai.memory.record.id",
  memoryRecords: "gen_ai.memory.records",
  operation: "gen_ai.operation.name",
  outputMessages: "gen_ai.output.messages",
  outputTokens: "gen_ai.usage.output_tokens",
  outputType: "gen_ai.output.type",
  provider: "gen_ai.provider.name",
  reasoningLevel: "gen_ai.request.reasoning.level",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  requestModel: "gen_ai.request.model",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  stream: "gen_ai.request.stream",
  systemInstructions: "gen_ai.system_instructions",
  temperature: "gen_ai.request.temperature",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  tokenModality: "gen_ai.token.modality",
  toolArguments: "gen_ai.tool.call.arguments",
  toolCallId: "gen_ai.tool.call.id",
  toolDefinitions: "gen_ai.tool.definitions",
  toolName: "gen_ai.tool.name",
  toolResult: "gen_ai.tool.call.result",
  toolType: "gen_ai.tool.type",
  topP: "gen_ai.request.top_p",
} as const;

/** Attributes that the conventions have no name for. */
export const JAF = {
  attempts: "jaf.attempts",
  conflictReason: "jaf.conflict.reason",
  cost: "jaf.cost",
  memoryOperation: "jaf.memory.operation",
  messageCount: "jaf.memory.message_count",
  outcome: "jaf.run.outcome",
  purpose: "jaf.call.purpose",
  quarantineReason: "jaf.quarantine.reason",
  rejectionCode: "jaf.rejection.code",
  replayed: "jaf.run.replayed",
  runId: "jaf.run.id",
  toolStatus: "jaf.tool.status",
  traceId: "jaf.trace.id",
  usageEstimated: "jaf.usage.estimated",
} as const;

/** Span events, whose names the conventions have no words for. */
export const EVENTS = {
  compaction: "jaf.compaction",
  fallback: "jaf.fallback",
  guardrail: "jaf.guardrail_tripped",
  handoff: "jaf.handoff",
  handoffDenied: "jaf.handoff_denied",
  interruption: "jaf.interruption",
  memoryRetry: "jaf.memory_retry",
  middlewareFailed: "jaf.middleware_failed",
  outputRepair: "jaf.output_repair",
  retry: "jaf.retry",
} as const;

/** The conventions' names of the services that JAF's own model providers and the AI SDK name otherwise. */
const SERVICES: readonly (readonly [prefix: string, name: string])[] = [
  ["amazon-bedrock", "aws.bedrock"],
  ["anthropic", "anthropic"],
  ["azure", "azure.ai.openai"],
  ["google-vertex", "gcp.vertex_ai"],
  ["google.vertex", "gcp.vertex_ai"],
  ["google", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["openai", "openai"],
  ["xai", "x_ai"],
];

/** Returns the conventions' name of a service, e.g. `"gcp.gemini"` for `"google"`; other names unchanged. */
export const providerName = (service: string): string =>
  SERVICES.find(([prefix]) => service === prefix || service.startsWith(`${prefix}.`))?.[1] ?? service;
