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
import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import type { AdaptedUserMemory } from "@jaf/user-memory";
import { ASSISTANT, type AssistantContext, assistant } from "../assistant/agent.ts";
import { Failure } from "../cli/failure.ts";
import { afterCrash } from "../storage/after-crash.ts";
import { titleOf } from "./conversation-list.ts";

export interface SessionOptions {
  readonly provider: MemoryProvider;
  /** What the assistant knows of the user from other conversations, and learns in this one. */
  readonly userMemory: AdaptedUserMemory;
  readonly modelProvider: ModelProvider<AssistantContext>;
  readonly context: AssistantContext;
  /** Aborted when the person leaves. */
  readonly signal: AbortSignal;
}

const LEARNING_MS = 2_000;

export type SendOptions = { readonly onEvent: (event: TraceEvent) => void };

/** One conversation of one user. Everything that is said is in the store: a session can be dropped at any time. */
export function createSession(
  { provider, userMemory, modelProvider, context, signal }: SessionOptions,
  conversationId: string,
) {
  const { userId } = context;

  async function answer(messages: readonly Message[], { onEvent }: SendOptions): Promise<RunResult<string>> {
    await userMemory.drain({ timeoutMs: LEARNING_MS }); // So that each answer knows what was said before.
    const config: RunConfig<AssistantContext> = {
      agentRegistry: new Map([[ASSISTANT, assistant]]),
      modelProvider,
      userMemory,
      conversationId,
      signal,
      memory: { provider, autoStore: true, durability: "step", userId, ...afterCrash },
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

  async function load(): Promise<ConversationMemory | null> {
    const loaded = await provider.getConversation(conversationId);
    if (!loaded.success) throw new Failure(loaded.error.message);
    return loaded.data;
  }

  let isNew: boolean | undefined;

  return {
    conversationId,
    load,
    /** Says `text` and shows the answer through `onEvent`. The first words become the title. */
    send: async (text: string, options: SendOptions): Promise<RunResult<string>> => {
      isNew ??= (await load()) === null;
      if (isNew) {
        isNew = false;
        const title = titleOf(text);
        const titled = await provider.appendMessages(
          conversationId,
          [],
          { userId, title },
          { createIfMissing: true },
        );
        if (!titled.success) throw new Failure(titled.error.message);
      }
      return answer([{ role: "user", content: text }], options);
    },
    /** Goes on with an answer that was cut off; tools that had finished don't run again. */
    resume: (options: SendOptions): Promise<RunResult<string>> => answer([], options),
    /** Whether there was anything to forget. */
    forget: async (): Promise<boolean> => {
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) throw new Failure(deleted.error.message);
      return deleted.data;
    },
  };
}

export type Session = ReturnType<typeof createSession>;

export const newConversationId = (): string => `chat-${crypto.randomUUID()}`;

/** Whether the last thing that was said still waits for its answer. */
export function isUnanswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last !== undefined && (last.role !== "assistant" || (last.tool_calls?.length ?? 0) > 0);
}
