import type { RichMessage } from "@jaf/memory";
import { isConflict, type Place, sha256, writeTo } from "@jaf/memory/internal";
import { type Agent, RunState } from "@openai/agents-core";
import type { Followed } from "./followed.ts";
import { type Reading, readHistory } from "./history.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own bound of an agent
type AnyAgent = Agent<any, any>;

/** Options of `takeRunState`. */
export interface TakeOptions {
  /**
   * `true`: also returns a state that was already taken, if nothing was added to the conversation since. The process
   * that took it may have run tools before it died, and they then run again. Default `false`.
   */
  readonly again?: boolean;
}

/** The run state that waits in a conversation, e.g. for a person's approval. A conversation has at most one. */
export interface RunStates {
  /**
   * Stores the state of an interrupted run, in place of an earlier one. It is erased with the conversation and with its
   * user. Call it on the session of the run: the state belongs to the conversation as this session has seen it last.
   */
  readonly storeRunState: (state: Pick<RunState<unknown, AnyAgent>, "toString">) => Promise<void>;
  /**
   * Takes the stored state, so that only one process resumes it. Returns `undefined` if no state is stored, if it was
   * taken, or if the conversation has changed since it was stored. `agent`: the agent that the run began with. Rejects
   * with the SDK's error if this version of the SDK can't read the state; the state isn't taken then.
   */
  readonly takeRunState: <A extends AnyAgent>(
    agent: A,
    options?: TakeOptions,
  ) => Promise<RunState<unknown, A> | undefined>;
}

/** The run states of a session, and what the session itself needs. */
interface StoredRunStates extends RunStates {
  /** Removes the stored state. */
  readonly drop: () => Promise<void>;
}

/** The field of a stored state: the version of the conversation that it belongs to. */
const VERSION = "conversationVersion";

/** Follows the state if it was taken, once for each time. */
const TAKEN: RichMessage = { role: "assistant", content: "taken" };

export function createRunStates(place: Place, followed: Followed): StoredRunStates {
  const { conversationId } = place;

  /** A child of the conversation: no list shows it, and it is erased with its parent. */
  const childOf = (incarnation: string): Place => {
    const id = sha256(JSON.stringify([conversationId, incarnation]), "hex");
    return { ...place, conversationId: `openai-agents:run-state:${id}` };
  };

  /** The conversation, which is created if it is missing and no run has seen it before. */
  async function parent(): Promise<Pick<Reading, "incarnation" | "version">> {
    let found = await readHistory(place, "none");
    if (!found.exists) {
      await followed.append(undefined, []);
      found = await readHistory(place, "none");
    }
    return {
      incarnation: followed.expected(undefined, found),
      version: followed.version(undefined) ?? found.version,
    };
  }

  /** Replaces what is stored. Repeats it if another process did so at the same time. */
  async function replace(own: Place, message: RichMessage | undefined, incarnation: string): Promise<void> {
    for (;;) {
      const stored = await readHistory(own, "none");
      if (message === undefined && stored.count === 0) return;
      try {
        await writeTo(own, stored, {
          messages: message === undefined ? [] : [message],
          dropLast: stored.count,
          childOf: { conversationId, incarnation },
          expectedVersion: stored.version,
        });
        return;
      } catch (error) {
        if (!isConflict(error, "version")) throw error;
      }
    }
  }

  return {
    storeRunState: async (state) => {
      const { incarnation, version } = await parent();
      const message = { role: "assistant", content: state.toString(), [VERSION]: version } as const;
      await replace(childOf(incarnation), message, incarnation);
    },
    takeRunState: async (agent, { again = false } = {}) => {
      const conversation = await readHistory(place, "none");
      if (!conversation.exists) return undefined;
      const own = childOf(conversation.incarnation);
      const stored = await readHistory(own, "all");
      const [waiting, ...taken] = stored.messages;
      if (typeof waiting?.content !== "string" || waiting[VERSION] !== conversation.version) return undefined;
      if (taken.length > 0 && !again) return undefined;
      const state = await RunState.fromString<unknown, typeof agent>(agent, waiting.content);
      try {
        await writeTo(own, stored, { messages: [TAKEN], expectedVersion: stored.version });
      } catch (error) {
        if (isConflict(error, "version", "incarnation")) return undefined;
        throw error;
      }
      followed.see(undefined, conversation);
      return state;
    },
    drop: async () => {
      const { exists, incarnation } = await readHistory(place, "none");
      if (exists) await replace(childOf(incarnation), undefined, incarnation);
    },
  };
}
