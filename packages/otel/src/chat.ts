import type { ModelUsage, TraceEvent } from "@jaf/core";
import { type Attributes, type Context, context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { GEN_AI, JAF, providerName } from "./conventions.ts";
import { OTHER } from "./error-type.ts";
import { set } from "./metrics.ts";
import type { ChatCall, OpenSpan, RunRecord } from "./runs.ts";
import type { Scope } from "./scope.ts";

/** The name that the engine gives a model that the model provider chooses. */
const UNNAMED = "default";

/** Returns the record of a model call whose span opens later. `model`: its name in events. */
export const newChat = (model: string | undefined, agentName: string | undefined): ChatCall => ({
  model: model === UNNAMED ? undefined : model,
  agentName,
  startedAt: Date.now(),
  begun: performance.now(),
  open: undefined,
  isCompacted: false,
  isDue: true,
  provider: undefined,
  responseModel: undefined,
  errorType: undefined,
});

interface ChatSpan {
  /** The run of the call. `undefined`: it isn't known, so the active span is the parent. */
  readonly run: RunRecord | undefined;
  readonly attributes?: Attributes;
  /** When the call began, in ms since 1970. Absent: now. */
  readonly startTime?: number;
}

/** Opens the span of a model call, unless it is open. */
export function openChat(scope: Scope, chat: ChatCall, { run, attributes, startTime }: ChatSpan): OpenSpan {
  if (chat.open !== undefined) return chat.open;
  const { model, agentName, provider } = chat;
  const within: Context = run?.open?.context ?? context.active();
  const span = scope.tracer.startSpan(
    model === undefined ? "chat" : `chat ${model}`,
    {
      kind: SpanKind.CLIENT,
      attributes: set({
        [GEN_AI.operation]: "chat",
        [GEN_AI.provider]: provider,
        [GEN_AI.requestModel]: model,
        [GEN_AI.conversationId]: run?.conversationId,
        [GEN_AI.agentName]: agentName,
        [GEN_AI.compacted]: chat.isCompacted || undefined,
        ...attributes,
      }),
      ...(startTime !== undefined && { startTime }),
    },
    within,
  );
  chat.open = { span, context: trace.setSpan(within, span) };
  return chat.open;
}

type CallEnd = Extract<TraceEvent, { readonly type: "llm_call_end" }>["data"];

/** How a model call ended. */
export type ChatEnd = Pick<CallEnd, "status"> &
  Partial<Pick<CallEnd, "usage" | "cost" | "finishReason" | "origin" | "attempts">>;

/** Ends the span of a model call, and records the call's metrics. */
export function endChat(
  scope: Scope,
  chat: ChatCall,
  { run, end }: ChatSpan & { readonly end: ChatEnd },
): void {
  const { usage, cost, finishReason, origin, attempts } = end;
  const { startedAt: startTime } = chat;
  if (origin !== undefined) {
    chat.provider = providerName(origin.provider);
    chat.responseModel ??= origin.model;
  }
  const { span } = openChat(scope, chat, { run, startTime });
  const errorType = end.status === "error" ? (chat.errorType ?? OTHER) : undefined;
  span.setAttributes(
    set({
      [GEN_AI.provider]: chat.provider ?? OTHER,
      [GEN_AI.responseModel]: chat.responseModel,
      [GEN_AI.finishReasons]: finishReason === undefined ? undefined : [finishReason],
      [GEN_AI.errorType]: errorType,
      [JAF.attempts]: attempts,
      [JAF.cost]: cost,
      ...usageAttributes(usage),
    }),
  );
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  recordChat(scope, chat, { usage, cost, errorType });
}

const usageAttributes = (usage: ModelUsage = {}) => ({
  [GEN_AI.inputTokens]: usage.inputTokens,
  [GEN_AI.outputTokens]: usage.outputTokens,
  [GEN_AI.cacheReadTokens]: usage.cachedInputTokens,
  [GEN_AI.cacheWriteTokens]: usage.cacheWriteTokens,
  [GEN_AI.reasoningTokens]: usage.reasoningTokens,
  [JAF.usageEstimated]: usage.estimated,
});

interface Recorded {
  readonly usage: ModelUsage | undefined;
  readonly cost: number | undefined;
  readonly errorType: string | undefined;
}

function recordChat(scope: Scope, chat: ChatCall, { usage, cost, errorType }: Recorded): void {
  const instruments = scope.instruments();
  const labels = chatLabels(chat);
  const withError = set({ ...labels, [GEN_AI.errorType]: errorType });
  // Estimates aren't what the service bills, so the metrics leave them out. Without a count, the conventions ask for 0.
  const billed: ModelUsage = usage === undefined || usage.estimated ? {} : usage;
  const { inputTokens = 0, outputTokens = 0 } = billed;
  const byModality = { ...labels, [GEN_AI.tokenModality]: "unknown" };
  instruments.operationDuration.record((performance.now() - chat.begun) / 1000, withError);
  instruments.inputTokens.add(inputTokens, byModality);
  instruments.outputTokens.add(outputTokens, byModality);
  instruments.cacheReadTokens.add(billed.cachedInputTokens ?? 0, byModality);
  instruments.cacheWriteTokens.add(billed.cacheWriteTokens ?? 0, byModality);
  instruments.reasoningTokens.add(billed.reasoningTokens ?? 0, byModality);
  instruments.inputTokensOfCall.record(inputTokens, withError);
  instruments.outputTokensOfCall.record(outputTokens, withError);
  if (cost !== undefined) instruments.cost.add(cost, labels);
}

/** Returns the attributes that all metrics of a model call have. */
export const chatLabels = ({ model, provider, responseModel }: ChatCall): Attributes =>
  set({
    [GEN_AI.operation]: "chat",
    [GEN_AI.provider]: provider ?? OTHER,
    [GEN_AI.requestModel]: model,
    [GEN_AI.responseModel]: responseModel,
  });
