import type { Message } from "@jaf/memory";
import { reportFailure } from "../errors.ts";
import type { CompleteText } from "../extraction/extraction.ts";
import type { MiddlewareTurn, RemembersSpec } from "../run-types.ts";
import type { UserMemory } from "../user-memory.ts";
import { withMemoryExtract } from "./extract.ts";
import { withMemoryInject } from "./inject.ts";
import type { MemoryLinkOptions } from "./middleware.ts";

/** A turn of an engine other than JAF's. */
export interface SpokenTurn {
  /** The known messages of the conversation, up to the user's messages of this turn, which come last. */
  readonly messages: readonly Message[];
  readonly conversationId?: string | undefined;
  /** Calls a model that proposes facts. It isn't needed with `extract: "verbatim"`, or with an `extract` function. */
  readonly complete: CompleteText;
}

/** A turn whose facts were recalled. */
export interface RecalledTurn {
  /** The facts for the model's instructions, in the format of `renderUserMemory`; `""` if there are none. */
  readonly facts: string;
  /** Stores what `extract` selects from the user's words, after the model's final reply. Never rejects. */
  readonly learn: (reply: string) => Promise<void>;
}

/** Options of {@link recallForTurn}. */
export interface TurnMemoryOptions extends MemoryLinkOptions {
  /** The user memory. Default: the user memory of the process, see `setUserMemory`. */
  readonly memory?: UserMemory | undefined;
}

/**
 * Recalls facts for a turn of another engine, and returns what learns from the turn: the middleware of `withMemoryInject` and
 * `withMemoryExtract` for engines that don't call such middleware. If the user memory fails, the turn goes on without facts:
 * `inject.onError` and `extract.onError` are called, by default a process warning.
 *
 * @example
 * ```ts
 * import { recallForTurn, type UserMemory } from "@jaf/user-memory";
 *
 * declare const memory: UserMemory;
 * declare const ask: (instructions: string, text: string) => Promise<string>;
 *
 * export async function answer(user: string, text: string) {
 *   const turn = { messages: [{ role: "user" as const, content: text }], complete: async () => "" };
 *   const { facts, learn } = await recallForTurn({ user, extract: "verbatim" }, turn, { memory });
 *   const reply = await ask(`Be brief.\n\n${facts}`, text);
 *   await learn(reply);
 *   return reply;
 * }
 * ```
 */
export async function recallForTurn(
  spec: RemembersSpec,
  turn: SpokenTurn,
  { memory, inject, extract }: TurnMemoryOptions = {},
): Promise<RecalledTurn> {
  const onInjectError = inject?.onError ?? ((thrown: unknown) => reportFailure({}, thrown));
  const injecting = withMemoryInject<object>(
    { ...spec, injectPlacement: "instructions" },
    { ...inject, memory, onError: onInjectError },
  );
  const learning = withMemoryExtract<object>(
    { ...spec, extract: spec.extract ?? false },
    { ...extract, memory },
  );
  const own = middlewareTurn(turn);
  await learning.onStart?.(own);
  const addition = await injecting.onStart?.(own);
  return {
    facts: addition?.instructions ?? "",
    learn: async (reply) => {
      await learning.onFinish?.(own, { role: "assistant", content: reply });
    },
  };
}

function middlewareTurn({ messages, conversationId, complete }: SpokenTurn): MiddlewareTurn<object> {
  const said = messages.findLastIndex(({ role }) => role !== "user") + 1;
  const state = {
    ...{ runId: "", traceId: "", currentAgentName: "", context: {}, turnCount: 0, messages },
  } as unknown as MiddlewareTurn<object>["state"];
  return {
    ...{ state, conversationId, complete, agentName: "", isContinuation: false, startedAt: Date.now() },
    userMessages: messages.slice(said),
  };
}
