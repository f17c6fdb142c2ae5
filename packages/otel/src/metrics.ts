import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";

/** The instruments of this package. */
export interface Instruments {
  readonly operationDuration: Histogram;
  readonly timeToFirstChunk: Histogram;
  readonly agentDuration: Histogram;
  readonly inferenceCalls: Histogram;
  readonly toolCalls: Histogram;
  readonly toolDuration: Histogram;
  readonly inputTokens: Counter;
  readonly outputTokens: Counter;
  readonly cacheReadTokens: Counter;
  readonly cacheWriteTokens: Counter;
  readonly reasoningTokens: Counter;
  readonly inputTokensOfCall: Histogram;
  readonly outputTokensOfCall: Histogram;
  readonly memoryDuration: Histogram;
  readonly cost: Counter;
  readonly conflicts: Counter;
  readonly replays: Counter;
  readonly outputRepairs: Counter;
  readonly sanitizerRepairs: Counter;
  readonly refusedContinuations: Counter;
  readonly quarantinedFacts: Counter;
}

/** Buckets that double, as the conventions advise for durations in seconds. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const AGENT_SECONDS = Array.from({ length: 13 }, (_, power) => 0.1 * 2 ** power);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const CALLS = Array.from({ length: 8 }, (_, power) => 2 ** power);

/** Creates the instruments. */
export function createInstruments(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, buckets: readonly number[], description: string) =>
    meter.createHistogram(name, {
      unit,
      description,
      advice: { explicitBucketBoundaries: [...buckets] },
    });
  const tokens = (name: string, description: string) =>
    meter.createCounter(`gen_ai.client.inference.usage.${name}`, { unit: "{token}", description });
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`jaf.${name}`, { unit, description });
  return {
    operationDuration: histogram(
      "gen_ai.client.operation.duration",
      "s",
      SECONDS,
      "Duration of a model call.",
    ),
    timeToFirstChunk: histogram(
      "gen_ai.client.operation.time_to_first_chunk",
      "s",
      SECONDS,
      "Time until a streamed reply begins.",
    ),
    agentDuration: histogram("gen_ai.invoke_agent.duration", "s", AGENT_SECONDS, "Duration of a run."),
    inferenceCalls: histogram(
      "gen_ai.invoke_agent.inference_calls",
      "{inference_call}",
      CALLS,
      "Model calls of a run.",
    ),
    toolCalls: histogram("gen_ai.invoke_agent.tool_calls", "{tool_call}", CALLS, "Tool calls of a run."),
    toolDuration: histogram("gen_ai.execute_tool.duration", "s", SECONDS, "Duration of a tool call."),
    inputTokens: tokens("input_tokens", "Input tokens, cached ones included."),
    outputTokens: tokens("output_tokens", "Output tokens, those of reasoning included."),
    cacheReadTokens: tokens("cache_read.input_tokens", "Input tokens that were read from the prompt cache."),
    cacheWriteTokens: tokens(
      "cache_write.input_tokens",
      "Input tokens that were written to the prompt cache.",
    ),
    reasoningTokens: tokens("reasoning.output_tokens", "Output tokens of reasoning."),
    inputTokensOfCall: histogram(
      "gen_ai.client.inference.operation.input_tokens",
      "{token}",
      TOKENS,
      "Input tokens of a model call.",
    ),
    outputTokensOfCall: histogram(
      "gen_ai.client.inference.operation.output_tokens",
      "{token}",
      TOKENS,
      "Output tokens of a model call.",
    ),
    memoryDuration: histogram(
      "jaf.memory.operation.duration",
      "s",
      SECONDS,
      "Duration of a memory operation.",
    ),
    cost: counter("cost", "1", "Cost of model calls, in the currency of the prices."),
    conflicts: counter("conflicts", "{run}", "Runs that ended with a conflict."),
    replays: counter("replays", "{run}", "Repeated runs that were told their outcome."),
    outputRepairs: counter("output_repairs", "{repair}", "Replies that the model was asked to correct."),
    sanitizerRepairs: counter(
      "sanitizer_repairs",
      "{message}",
      "Stored messages that a run had to repair or leave out for the model.",
    ),
    refusedContinuations: counter("refused_continuations", "{run}", "Runs that refused a client's input."),
    quarantinedFacts: counter("quarantined_facts", "{fact}", "Facts that wait for review."),
  };
}

/** Returns the attributes that are set. */
export const set = (attributes: Readonly<Record<string, Attributes[string]>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
