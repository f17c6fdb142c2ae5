import type { PutEntry, Result } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { Agent } from "../agent.ts";
import type { TraceEvent } from "../events.ts";
import { streamEvents } from "../run/run-stream.ts";
import { type AgentClientConfig, type ClientSettings, parseClientConfig } from "./config.ts";
import { type ExplicitIds, idSchema } from "./conversation.ts";
import { storeOf } from "./conversation-store.ts";
import type { PromptInput, PromptOptions } from "./options.ts";
import type { PromptCall } from "./parse-prompt.ts";
import { performPrompt } from "./prompt.ts";
import type { PromptResult } from "./prompt-result.ts";
import { performSend, type SendOptions, type SentMessage } from "./send.ts";

/**
 * An agent client, which loads and stores conversations. The user and the conversation of a prompt come from the first
 * of these that is given:
 *
 * - `forUser` and `continue`,
 * - the prompt's option `conversation`,
 * - the agent's `conversational`.
 *
 * If none is given, the prompt is stateless: nothing is loaded or stored.
 */
export interface AgentClient<Out, Ctx = unknown> {
  /**
   * Sends input to the agent and runs it. Failures of the run and of the store are in the result's `outcome`. To
   * continue the stored conversation without a new message (e.g. after a crash), pass `[]`. If the conversation has no
   * messages, the model is called without messages.
   *
   * The promise rejects with:
   *
   * - `ConversationOwnershipError`: the conversation doesn't exist or doesn't belong to the user.
   * - `ContinuationValidationError`: `messages`, `historyToken`, `approvals` or `toolResults` are malformed or don't
   *   match the stored conversation (e.g. a decision about a call that was decided before).
   * - `ContinuationValidationError`: the input is an empty text, and these options are present only with the value
   *   `undefined`.
   * - `ContinuationValidationError`: the input and all of these options that are present are empty, and there is no
   *   conversation to continue, because the prompt is stateless or begins a new one. If there is one, empty lists of
   *   approvals and tool results count as the input `[]`.
   * - the error that `PromptOptions.validate`, `AgentClientConfig.context` or `Agent.conversational` threw.
   * - `TypeError`: an argument is invalid, or no store is configured for the conversation.
   */
  readonly prompt: (input: PromptInput, options?: PromptOptions<Ctx>) => Promise<PromptResult<Out>>;
  /**
   * Does the same as `prompt`, and streams the run's events. If you leave the loop over the events before its end, the
   * run is aborted.
   */
  readonly stream: (input: PromptInput, options?: PromptOptions<Ctx>) => PromptStream<Out>;
  /**
   * Leaves a message of the user in the conversation's inbox, `AgentClientConfig.memory.inbox`, and runs nothing. A run
   * that is under way takes the message before its next model call. Otherwise the message waits, and the next prompt
   * takes it; `prompt([])` does nothing else. See `docs/turns.md`.
   *
   * The user and the conversation are those of a prompt, but the conversation must exist: `forUser` needs `continue`.
   * Failures of the store and of the inbox are in the result. The promise rejects with:
   *
   * - `ConversationOwnershipError`: the conversation doesn't exist, has no owner or doesn't belong to the user.
   * - the error that `AgentClientConfig.context` or `Agent.conversational` threw.
   * - `TypeError`: an argument is invalid, there is no inbox or no store, or no conversation is named.
   *
   * @example
   * ```ts
   * import type { AgentClient } from "@jaf/core";
   *
   * declare const client: AgentClient<string>; // with `memory: { inbox }`
   *
   * const conversation = client.forUser("user-42").continue("conv-123");
   * const sent = await conversation.send("And make it short.", { key: "message-7" });
   * if (!sent.success) console.error(sent.error.message); // send it again under the same key
   * ```
   */
  readonly send: (message: SentMessage, options?: SendOptions<Ctx>) => Promise<Result<PutEntry>>;
  /**
   * Returns an agent client that acts for this user. Each of its prompts begins a new conversation, unless `continue`
   * names an existing one. Throws a `TypeError` if the user id is invalid or no store is configured.
   */
  readonly forUser: (userId: string) => AgentClient<Out, Ctx>;
  /**
   * Returns an agent client that continues this conversation. The user of its prompts comes from `forUser`, else from
   * `PromptOptions.conversation`, else from the agent's `conversational`.
   *
   * - If the conversation doesn't belong to this user, prompts reject.
   * - If `PromptOptions.conversation` or `conversational` is given but names no user, prompts reject.
   * - If none of these names a user and neither is given, ownership isn't checked. In this case, never pass an id that
   *   came from a browser.
   *
   * Throws a `TypeError` if the conversation id isn't a text or no store is configured.
   */
  readonly continue: (conversationId: string) => AgentClient<Out, Ctx>;
}

/**
 * The events of a prompt's run, and its result. Events are buffered, and each event can be read once. If `prompt` would
 * reject, the loop over the events throws and `result` rejects.
 */
export interface PromptStream<Out> extends AsyncIterable<TraceEvent> {
  /** The prompt's result. The promise resolves even if you don't read the events. */
  readonly result: Promise<PromptResult<Out>>;
}

/**
 * Creates an agent client. It has no connection and no state, so you can create one for the process or one per request.
 * Throws a `TypeError` that names the invalid fields of the configuration.
 *
 * @example
 * ```ts
 * import { createAgentClient, type ModelProvider } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * declare const modelProvider: ModelProvider<object>;
 *
 * const agent = { name: "assistant", instructions: "Be brief." };
 * const client = createAgentClient(agent, { modelProvider, context: {}, store: createInMemoryProvider() });
 * const first = await client.forUser("user-42").prompt("My name is Alice.");
 * const second = await client.forUser("user-42").continue(first.conversationId ?? "").prompt("What's my name?");
 * console.log(second.text);
 * ```
 */
export function createAgentClient<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  config: AgentClientConfig<Ctx>,
): AgentClient<Out, Ctx> {
  return clientOf(parseClientConfig<Ctx, Out>(agent, config), {});
}

function clientOf<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  explicit: ExplicitIds,
): AgentClient<Out, Ctx> {
  const extended = (more: ExplicitIds) => {
    storeOf(settings);
    return clientOf(settings, { ...explicit, ...more });
  };
  return Object.freeze<AgentClient<Out, Ctx>>({
    prompt: async (input, options = {}) =>
      performPrompt(settings, { explicit, input, options }, { streaming: false, signal: options.signal }),
    stream: (input, options = {}) => streamPrompt(settings, { explicit, input, options }),
    send: async (message, options = {}) => performSend(settings, { explicit, message, options }),
    forUser: (userId) => extended({ userId: parseOptions(idSchema, userId, "user id") }),
    // The id can come from a browser. An invalid id is refused like the id of another user's conversation.
    continue: (id) => extended({ conversationId: parseOptions(z.string(), id, "conversation id") }),
  });
}

function streamPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
): PromptStream<Out> {
  const { signal: given } = call.options;
  // `performPrompt` refuses any other value as an invalid option.
  const outer = given instanceof AbortSignal ? given : undefined;
  return streamEvents(outer, ({ signal, sink }) =>
    performPrompt(settings, call, { streaming: true, signal, sink }),
  );
}
