import { parseOptions } from "@jaf/memory/engine";
import * as z from "zod";
import type { Agent } from "../agent.ts";
import { type AgentClientConfig, type ClientSettings, parseClientConfig } from "./config.ts";
import { idSchema } from "./conversational.ts";
import { loadAndPrompt } from "./load-prompt.ts";
import type { PromptInput, PromptOptions } from "./options.ts";
import type { Explicit } from "./plan.ts";
import type { PromptResult } from "./prompt-result.ts";
import { type PromptStream, streamPrompt } from "./prompt-stream.ts";
import { storeOf } from "./store-of.ts";

/**
 * An agent to talk to, which keeps its conversations by itself. Whose conversation a prompt belongs to, and which, is
 * said by `forUser` and `continue`, else by the prompt's option `conversation`, else by the agent's `conversational`. If
 * by none, the prompt is stateless.
 */
export interface AgentClient<Out, Ctx = unknown> {
  /**
   * Says something to the agent and runs it. Failures of the run and of the store are in the result's `outcome`. Rejects
   * with:
   *
   * - `ConversationOwnershipError`: the user has no such conversation.
   * - `ContinuationValidationError`: `messages`, `approvals` or `toolResults` hold what never was, or nothing at all; or,
   *   as it is, whatever a `validate` of the application throws.
   * - `TypeError`: an argument is none, or there is no store for a conversation.
   * - what the application's own `context` or `conversational` throws.
   * - an error named `PartLoadError`: a file of this package, which the first prompt needs, can't be loaded.
   *
   * `[]` as input goes on with what is stored, e.g. after a crash.
   */
  readonly prompt: (input: PromptInput, options?: PromptOptions<Ctx>) => Promise<PromptResult<Out>>;
  /** Like `prompt`, and tells what happens while it does. Leaving the loop before its end aborts the run. */
  readonly stream: (input: PromptInput, options?: PromptOptions<Ctx>) => PromptStream<Out>;
  /**
   * A client that acts for this user. Each of its prompts begins a new conversation, unless `continue` names one.
   * Throws a `TypeError` for what is no id, and where there is no store.
   */
  readonly forUser: (userId: string) => AgentClient<Out, Ctx>;
  /**
   * A client that goes on with this conversation. Its prompts reject unless it is the user's, whom `forUser`, the option
   * or the declaration says; so they do where the option or the declaration is there and says nobody. Where nothing of
   * the kind is there, the server is trusted to know what it asks for: never pass an id from a browser then. Throws a
   * `TypeError` for what is no text, and where there is no store.
   */
  readonly continue: (conversationId: string) => AgentClient<Out, Ctx>;
}

/**
 * Makes a client of an agent. It holds no connection and no state: make one and keep it, or one for each request. Throws
 * a `TypeError` that names what is wrong with the configuration.
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

function clientOf<Ctx, Out>(settings: ClientSettings<Ctx, Out>, explicit: Explicit): AgentClient<Out, Ctx> {
  const also = (more: Explicit) => {
    storeOf(settings);
    return clientOf(settings, { ...explicit, ...more });
  };
  return Object.freeze<AgentClient<Out, Ctx>>({
    prompt: async (input, options = {}) =>
      loadAndPrompt(settings, { explicit, input, options }, { streaming: false, signal: options.signal }),
    stream: (input, options = {}) => streamPrompt(settings, { explicit, input, options }),
    forUser: (userId) => also({ userId: parseOptions(idSchema(), userId, "user id") }),
    // It may come from a browser: one that no store would take is refused like one that isn't the user's.
    continue: (id) => also({ conversationId: parseOptions(z.string(), id, "conversation id") }),
  });
}
