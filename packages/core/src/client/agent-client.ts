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
 * A client of an agent that loads and stores conversations. `forUser` and `continue` determine which user's conversation a
 * prompt belongs to; without them, the prompt's option `conversation` does; without that, the agent's `conversational`. Without
 * any of them the prompt is stateless.
 */
export interface AgentClient<Out, Ctx = unknown> {
  /**
   * Sends input to the agent and runs it. Failures of the run and of the store are in the result's `outcome`. Rejects with:
   *
   * - `ConversationOwnershipError`: the user has no such conversation.
   * - `ContinuationValidationError`: `messages`, `approvals` or `toolResults` don't match the stored conversation, or are all
   *   empty.
   * - whatever a `validate` of the application throws.
   * - `TypeError`: an argument is invalid, or there is no store for a conversation.
   * - whatever the application's own `context` or `conversational` throws.
   *
   * With `[]` as input, the agent continues the stored conversation, e.g. after a crash.
   */
  readonly prompt: (input: PromptInput, options?: PromptOptions<Ctx>) => Promise<PromptResult<Out>>;
  /** Like `prompt`, with the run's events as they happen. Leaving the loop before its end aborts the run. */
  readonly stream: (input: PromptInput, options?: PromptOptions<Ctx>) => PromptStream<Out>;
  /**
   * A client that acts for this user. Each of its prompts begins a new conversation, unless `continue` names one.
   * Throws a `TypeError` if the id is invalid or there is no store.
   */
  readonly forUser: (userId: string) => AgentClient<Out, Ctx>;
  /**
   * A client that continues this conversation. Its prompts reject unless the conversation belongs to the user that `forUser`,
   * the prompt's option or the agent's declaration names, and also if the option or the declaration names nobody. If none of
   * these is present, ownership isn't checked: then never pass an id from a browser. Throws a `TypeError` if the id isn't a
   * text or there is no store.
   */
  readonly continue: (conversationId: string) => AgentClient<Out, Ctx>;
}

/**
 * The events of a prompt's run. They are buffered until they are read; each is read once. Where `prompt` would reject, the loop
 * throws and `result` rejects. What a client sent back is validated before the first event.
 */
export interface PromptStream<Out> extends AsyncIterable<TraceEvent> {
  /** Resolves whether or not the events are read. */
  readonly result: Promise<PromptResult<Out>>;
}

/**
 * Creates a client of an agent. It holds no connection and no state: create one for the process, or one for each request.
 * Throws a `TypeError` that names what is wrong with the configuration.
 *
 * @example
 * const client = createAgentClient(agent, { modelProvider, context: {}, store });
 * const first = await client.forUser("user-42").prompt("My name is Alice.");
 * const second = await client.forUser("user-42").continue(first.conversationId!).prompt("What's my name?");
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
    // An id may come from a browser: one that is invalid is refused in the same way as one of another user's conversation.
    continue: (id) => extended({ conversationId: parseOptions(z.string(), id, "conversation id") }),
  });
}

function streamPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  call: PromptCall<Ctx>,
): PromptStream<Out> {
  const { signal: given } = call.options;
  // Anything else is a bad option, which the prompt refuses.
  const outer = given instanceof AbortSignal ? given : undefined;
  return streamEvents(outer, ({ signal, sink }) =>
    performPrompt(settings, call, { streaming: true, signal, sink }),
  );
}
