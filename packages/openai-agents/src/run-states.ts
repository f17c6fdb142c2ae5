import { sha256 } from "@jaf/memory/internal";
import { type Agent, RunState } from "@openai/agents-core";
import type { Followed } from "./followed.ts";
import { changeHistory, isConflict, type Reading, readHistory } from "./history.ts";
import type { Place } from "./settings.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own bound of an agent
type AnyAgent = Agent<any, any>;

/** The run state that waits in a conversation, e.g. for a person's approval. A conversation has at most one. */
export interface RunStates {
  /**
   * Stores the state of an interrupted run, in place of an earlier one. It is erased with the conversation and with its
   * user.
   */
  readonly storeRunState: (state: Pick<RunState<unknown, AnyAgent>, "toString">) => Promise<void>;
  /**
   * Takes the stored state out of the store, so that only one process resumes it. Returns `undefined` if no state is
   * stored, or if another process took it. `agent`: the agent that the run began with. Rejects with the SDK's error if
   * this version of the SDK can't read the state; the state is still stored then.
   */
  readonly takeRunState: <A extends AnyAgent>(agent: A) => Promise<RunState<unknown, A> | undefined>;
}

export function createRunStates(place: Place, followed: Followed): RunStates {
  const { conversationId } = place;
  // A child of the conversation: no list shows it, and it is erased with its parent.
  const own = { ...place, conversationId: `openai-agents:run-state:${sha256(conversationId, "hex")}` };

  /** The conversation, which is created if it is missing and no run has seen it before. */
  async function parent(): Promise<Pick<Reading, "incarnation">> {
    const found = await readHistory(place, "none");
    if (found.exists) return { incarnation: followed.expected(undefined, found) };
    await followed.append(undefined, []);
    return readHistory(place, "none");
  }

  return {
    storeRunState: async (state) => {
      const message = { role: "assistant", content: state.toString() } as const;
      const { incarnation } = await parent();
      for (;;) {
        const { messages, version, incarnation: expectedIncarnation } = await readHistory(own, "all");
        try {
          const conditions = { expectedVersion: version, expectedIncarnation };
          const childOf = { conversationId, incarnation };
          await changeHistory(own, {
            messages: [message],
            dropLast: messages.length,
            childOf,
            ...conditions,
          });
          return;
        } catch (error) {
          if (!isConflict(error, "version")) throw error;
        }
      }
    },
    takeRunState: async (agent) => {
      const [conversation, stored] = [await readHistory(place, "none"), await readHistory(own, "all")];
      const text = stored.messages.at(-1)?.content;
      if (!conversation.exists || typeof text !== "string") return undefined;
      const state = await RunState.fromString<unknown, typeof agent>(agent, text);
      try {
        const { version: expectedVersion, incarnation: expectedIncarnation } = stored;
        const dropLast = stored.messages.length;
        await changeHistory(own, { messages: [], dropLast, expectedVersion, expectedIncarnation });
      } catch (error) {
        if (isConflict(error, "version", "incarnation")) return undefined;
        throw error;
      }
      followed.see(undefined, conversation);
      return state;
    },
  };
}
