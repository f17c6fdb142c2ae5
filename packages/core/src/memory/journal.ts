import { createSuccess, type Message, type Result } from "@jaf/memory";
import { type AppendEntry, type AppenderOptions, createAppender } from "./appender.ts";
import { durabilityOf, type MemoryConfig } from "./config.ts";

/**
 * Writes what a run says to the store when its durability asks for it: each method appends, or keeps the messages
 * for the next append. Appends of a run never overlap.
 */
export interface Journal {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  /** What was said to the agent. */
  readonly incoming: (messages: readonly Message[], entry: AppendEntry) => Promise<Result<void>>;
  /** A reply with tool calls; no tool runs before this succeeded. */
  readonly calls: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * One tool result, the moment it is there. `entry` only for a handoff: a result that comes after an abort, maybe
   * after other runs, must not change who has the conversation.
   */
  readonly answer: (message: Message, entry?: AppendEntry) => Promise<Result<void>>;
  /** All results of a reply in call order, once they are there. Does nothing where each was stored by `answer`. */
  readonly answers: (messages: readonly Message[]) => void;
  /** The final reply, and whatever was kept until now. */
  readonly final: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
}

const done: Promise<Result<void>> = Promise.resolve(createSuccess(undefined));

export function openJournal(options: AppenderOptions): Journal {
  const { memory, conversationId } = options;
  const durability = durabilityOf(memory);
  const append = createAppender(options);
  const kept: Message[] = [];

  const keep = (messages: readonly Message[]): Promise<Result<void>> => {
    // Not `push(...messages)`: a long history has more messages than a call may have arguments.
    for (const message of messages) kept.push(message);
    return done;
  };
  const flush = (entry: AppendEntry): Promise<Result<void>> =>
    kept.length === 0 ? done : append(kept.splice(0), entry);

  return {
    memory,
    conversationId,
    incoming: (messages, entry) => {
      keep(messages);
      return durability === "completed" ? done : flush(entry);
    },
    calls: (message, entry) => (durability === "step" ? append([message], entry) : keep([message])),
    answer: (message, entry) => (durability === "step" ? append([message], entry) : done),
    answers: (messages) => {
      if (durability !== "step") keep(messages);
    },
    final: (message, entry) => {
      keep([message]);
      return flush(entry);
    },
  };
}
