import {
  generateRunId,
  generateTraceId,
  type Message,
  type ModelProvider,
  type RunConfig,
  type RunResult,
  runStream,
  type TraceEvent,
} from "@jaf/core";
import type { AdaptedUserMemory } from "@jaf/user-memory";
import { ASSISTANT, type AssistantContext, assistant } from "../assistant/agent.ts";

/** What every conversation of a user needs. */
export interface AnswerOptions {
  /** What the assistant knows of the user from other conversations, and learns in this one. */
  readonly userMemory: AdaptedUserMemory;
  readonly modelProvider: ModelProvider<AssistantContext>;
  readonly context: AssistantContext;
  /** Aborted when the person leaves. */
  readonly signal: AbortSignal;
}

export type SendOptions = { readonly onEvent: (event: TraceEvent) => void };

interface Answering extends SendOptions {
  readonly messages: readonly Message[];
  /** Where the conversation is stored; absent: nowhere. */
  readonly stored?: Pick<RunConfig<AssistantContext>, "memory" | "conversationId">;
}

const LEARNING_MS = 2_000;

/** Runs the assistant, and shows what happens through `onEvent`. */
export async function answer(
  { userMemory, modelProvider, context, signal }: AnswerOptions,
  { messages, stored = {}, onEvent }: Answering,
): Promise<RunResult<string>> {
  await userMemory.drain({ timeoutMs: LEARNING_MS }); // So that each answer knows what was said before.
  const config: RunConfig<AssistantContext> = {
    agentRegistry: new Map([[ASSISTANT, assistant]]),
    ...{ modelProvider, userMemory, signal, ...stored },
  };
  const state = {
    runId: generateRunId(),
    traceId: generateTraceId(),
    messages,
    currentAgentName: ASSISTANT,
    context,
    turnCount: 0,
  };
  const stream = runStream<AssistantContext, string>(state, config);
  for await (const event of stream) onEvent(event);
  return stream.result;
}
