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

/**
 * A client of an agent that loads and stores conversations. The user and the conversation of a prompt come from `forUser` and
 * `continue`, or else from the prompt's option `conversation`, or else from the agent's `conversational`. Without any of them
 * the prompt is stateless.
 */
export interface AgentClient<Out, Ctx = unknown> {
  /**
   * Sends input to the agent and runs it. Failures of the run and the store are in the result's `outcome`. Rejects with:
   *
   * - `ConversationOwnershipError`: the user has no such conversation.
   * - `ContinuationValidationError`: `messages`, `approvals` or `toolResults` don't match the stored conversation, or are all
   *   empty.
   * - the error of the application's `validate`, `context` or `conversational`, if one of them throws.
   * - `TypeError`: an argument is invalid, or there is no store for a conversation.
   *
   * Pass `[]` as input to continue the stored conversation, e.g. after a crash.
   */
  readonly prompt: (input: PromptInput, options?: PromptOptions<Ctx>) => Promise<PromptResult<Out>>;
  /** Like `prompt`, but also streams the run's events. Leaving the loop before its end aborts the run. */
  readonly stream: (input: PromptInput, options?: PromptOptions<Ctx>) => PromptStream<Out>;
  /**
   * Returns a client that acts for this user. Each of its prompts begins a new conversation, unless `continue` names one.
   * Throws a `TypeError` if the id is invalid or there is no store.
   */
  readonly forUser: (userId: string) => AgentClient<Out, Ctx>;
  /**
   * Returns a client that continues this conversation. The conversation must belong to the user of `forUser`, the prompt's
   * option or the agent's declaration; otherwise prompts reject. They also reject if the option or the declaration names no
   * user. Without any of these, ownership isn't checked: then never pass an id from a browser. Throws a `TypeError` if the id
   * isn't a text or there is no store.
   */
  readonly continue: (conversationId: string) => AgentClient<Out, Ctx>;
}

/**
 * The events of a prompt's run. They are buffered, and each can be read once. If `prompt` would reject, the loop throws and
 * `result` rejects. The client's input is validated before the first event.
 */
export interface PromptStream<Out> extends AsyncIterable<TraceEvent> {
  /** The result. Resolves even if you don't read the events. */
  readonly result: Promise<PromptResult<Out>>;
}

/**
 * Creates a client of an agent. It has no connection and no state: create one for the process or one per request. Throws a
 * `TypeError` that names the invalid fields of the configuration.
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
    forUser: (userId) => extended({ userId: parseOptions(idSchema, userId, "user id") }),
    // The id can come from a browser. An invalid id is refused like an id of another user's conversation.
    continue: (id) => extended({ conversationId: parseOptions(z.string(), id, "conversation id") }),
  });
}

function streamPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
): PromptStream<Out> {
  const { signal: given } = call.options;
  // The prompt refuses any other value as an invalid option.
  const outer = given instanceof AbortSignal ? given : undefined;
  return streamEvents(outer, ({ signal, sink }) =>
    performPrompt(settings, call, { streaming: true, signal, sink }),
  );
}
