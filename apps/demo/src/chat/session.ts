import type { Message, RunResult } from "@jaf/core";
import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import { Failure } from "../failure.ts";
import { afterCrash } from "../storage/after-crash.ts";
import { type AnswerOptions, answer, type SendOptions } from "./answer.ts";
import { titleFor } from "./conversation-list.ts";

/** One conversation of one user. */
export interface Session {
  /** Absent: it is private, and nothing of it is stored. */
  readonly conversationId?: string;
  /** `null`: nothing was said yet. */
  readonly load: () => Promise<{ readonly messages: readonly Message[] } | null>;
  /** Says `text` and shows the answer through `onEvent`. */
  readonly send: (text: string, options: SendOptions) => Promise<RunResult<string>>;
  /** Goes on with an answer that was cut off. */
  readonly resume: (options: SendOptions) => Promise<RunResult<string>>;
  /** Whether there was anything to forget. */
  readonly forget: () => Promise<boolean>;
}

export interface SessionOptions extends AnswerOptions {
  readonly provider: MemoryProvider;
}

/** A conversation of which everything that is said is in the store: the session can be dropped at any time. */
export function createSession(options: SessionOptions, conversationId: string): Session {
  const { provider, context } = options;
  const { userId } = context;
  const stored = {
    conversationId,
    memory: { provider, autoStore: true, durability: "step", userId, ...afterCrash },
  } as const;

  async function load(): Promise<ConversationMemory | null> {
    const loaded = await provider.getConversation(conversationId);
    if (!loaded.success) throw new Failure(loaded.error.message);
    return loaded.data;
  }

  let isNew: boolean | undefined;

  return {
    conversationId,
    load,
    /** The first words become the title. */
    send: async (text, { onEvent }) => {
      isNew ??= (await load()) === null;
      if (isNew) {
        isNew = false;
        const title = titleFor(text);
        const titled = await provider.appendMessages(
          conversationId,
          [],
          { userId, title },
          { createIfMissing: true },
        );
        if (!titled.success) throw new Failure(titled.error.message);
      }
      return answer(options, { messages: [{ role: "user", content: text }], stored, onEvent });
    },
    /** Tools that had finished don't run again. */
    resume: ({ onEvent }) => answer(options, { messages: [], stored, onEvent }),
    forget: async () => {
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) throw new Failure(deleted.error.message);
      return deleted.data;
    },
  };
}

/** A conversation that is nowhere but in this process: nothing of it is stored or learned. What is known is used in it. */
export function createPrivateSession(given: AnswerOptions): Session {
  const options = { ...given, context: { ...given.context, isPrivate: true } };
  let messages: readonly Message[] = [];

  async function answered({ onEvent }: SendOptions): Promise<RunResult<string>> {
    const result = await answer(options, { messages, onEvent });
    // Of an answer that was cut off nothing is left, so that it is made anew.
    if (result.outcome.status === "completed") messages = result.finalState.messages;
    return result;
  }

  return {
    load: async () => (messages.length === 0 ? null : { messages }),
    send: (text, sending) => {
      messages = [...messages, { role: "user", content: text }];
      return answered(sending);
    },
    resume: answered,
    forget: async () => {
      const existed = messages.length > 0;
      messages = [];
      return existed;
    },
  };
}

export const newConversationId = (): string => `chat-${crypto.randomUUID()}`;

/** Whether the last thing that was said still waits for its answer. */
export function isUnanswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last !== undefined && (last.role !== "assistant" || (last.tool_calls?.length ?? 0) > 0);
}
