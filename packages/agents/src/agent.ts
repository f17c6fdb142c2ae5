import {
  type AgentClient,
  type AgentClientConfig,
  type Agent as AgentValue,
  type CacheableConfig,
  type ConversationalDeclaration,
  createAgentClient,
  type Middleware,
  type ModelConfig,
  type PromptInput,
  type PromptOptions,
  type PromptResult,
  type PromptStream,
  type RemembersDeclaration,
  type RunState,
  type SendOptions,
  type SentMessage,
  type StandardSchema,
  type Tool,
} from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { AiRegistry, resolveModel } from "./ai-registry.ts";

/** The type that an agent's function returns, e.g. its `conversational`. */
type Returned<Declaration> = Declaration extends (context: never) => infer Result ? Result : never;

/**
 * The return type of `cacheable`. In a method, TypeScript widens `messages: "all"` to `string`, so `string` must be
 * allowed. The value is checked when it is used.
 */
type ReturnedCacheable = Omit<CacheableConfig, "messages"> & {
  readonly messages?: number | string | undefined;
};

/**
 * The configuration of an agent's client. All fields are optional. By default, the client uses
 * `AiRegistry.modelProvider` and an empty context.
 */
export interface AgentConfig<Context = unknown> extends Partial<AgentClientConfig<Context>> {}

/**
 * An agent as a class. For each field of an agent value (`@jaf/core`), the class can have a method with the same name
 * that returns the field's value. The class also has the methods of an agent client. Each prompt calls the methods for
 * the fields again. `forUser` and `continue` call these methods once, and the returned client keeps the values.
 *
 * @example
 * ```ts
 * import { Agent } from "@jaf/agents";
 *
 * class SupportAgent extends Agent {
 *   override instructions() {
 *     return "Be kind.";
 *   }
 *   override model() {
 *     return "anthropic/claude-sonnet-4-6";
 *   }
 * }
 * const { text } = await new SupportAgent().forUser("user-42").prompt("Hi");
 * ```
 */
export abstract class Agent<Context = unknown, Output = string> implements AgentClient<Output, Context> {
  /**
   * The agent's name, which separates the conversations of different agents. Default: the class's name. Return a fixed name
   * if you minify your code.
   */
  name(): string {
    return this.constructor.name;
  }
  /** The system prompt. Default: none. */
  instructions(_state: Readonly<RunState<Context>>): string | Promise<string> {
    return "";
  }
  /** The tools that the model can call. Default: none. */
  // biome-ignore lint/suspicious/noExplicitAny: as in an agent value; each tool has its own arguments
  tools?(): readonly Tool<any, Context>[];
  /** The schema that decodes the final reply. Default: the output is the reply's text. */
  outputCodec?(): StandardSchema<Output>;
  /** Names of the agents that this agent can hand off to with `handoffTool`; see `agents` in `config`. Default: none. */
  handoffs?(): readonly string[];
  /** The settings for the model. For settings that are absent, the model provider chooses a value. */
  modelConfig?(): ModelConfig;
  /**
   * Which parts of the prompts stay the same between model calls, for the prompt cache of the model provider. Default:
   * none.
   */
  cacheable?(): ReturnedCacheable;
  /**
   * Returns the user and the conversation of a prompt, from the prompt's context. Default: prompts aren't stored, except
   * with `forUser`.
   */
  conversational?(context: Readonly<Context>): Returned<ConversationalDeclaration<Context>>;
  /** The agent's middleware. Default: none. */
  middleware?(): readonly Middleware<Context>[];
  /**
   * Returns the settings of user memory for a prompt, from the prompt's context. Default: none. Needs a store; see
   * `setUserMemory`.
   */
  remembers?(context: Readonly<Context>): Returned<RemembersDeclaration<Context>>;

  /**
   * The model's name, e.g. `"anthropic/claude-sonnet-4-6"`. It replaces `modelConfig().name`. Default: the model of
   * `AiRegistry.setDefault`.
   */
  model?(): string;
  /**
   * The other options of `createAgentClient`: context, limits, guardrails, agents for handoffs, or a `modelProvider` in
   * place of `AiRegistry`.
   */
  config?(): AgentConfig<Context>;

  /**
   * Sends input to the agent; see `AgentClient.prompt`. Rejects with a `TypeError` if the agent's model isn't registered.
   */
  async prompt(input: PromptInput, options?: PromptOptions<Context>): Promise<PromptResult<Output>> {
    return clientOf(this).prompt(input, options);
  }
  /**
   * Sends input and streams the reply; see `AgentClient.stream`. Throws a `TypeError` if the agent's model isn't
   * registered.
   */
  stream(input: PromptInput, options?: PromptOptions<Context>): PromptStream<Output> {
    return clientOf(this).stream(input, options);
  }
  /**
   * Leaves a message in the conversation's inbox; see `AgentClient.send`. Rejects with a `TypeError` if the agent's model
   * isn't registered.
   */
  async send(message: SentMessage, options?: SendOptions<Context>): ReturnType<AgentClient<Output>["send"]> {
    return clientOf(this).send(message, options);
  }
  /** Returns a client for a user; see `AgentClient.forUser`. Throws a `TypeError` if the agent's model isn't registered. */
  forUser(userId: string): AgentClient<Output, Context> {
    return clientOf(this).forUser(userId);
  }
  /**
   * Returns a client for a conversation; see `AgentClient.continue`. Throws a `TypeError` if the agent's model isn't
   * registered.
   */
  continue(conversationId: string): AgentClient<Output, Context> {
    return clientOf(this).continue(conversationId);
  }

  /**
   * Returns the agent as a value of `@jaf/core`, for `createAgentClient`, `run`, or `agents` in another agent's `config`.
   */
  toValue(): AgentValue<Context, Output> {
    return {
      name: this.name(),
      instructions: (state) => this.instructions(state),
      // Omits the fields of missing methods, since an absent declaration differs from one that returns nothing.
      ...present({
        tools: this.tools?.(),
        outputCodec: this.outputCodec?.(),
        handoffs: this.handoffs?.(),
        modelConfig: modelConfigOf(this),
        cacheable: this.cacheable?.() as CacheableConfig | undefined,
        conversational: this.conversational && ((context) => this.conversational?.(context)),
        middleware: this.middleware?.(),
        remembers: this.remembers && ((context) => this.remembers?.(context)),
      } satisfies OptionalFields<AgentValue<Context, Output>>),
    };
  }
}

/** The optional fields of an agent, all required here, so that the compiler reports a forgotten field. */
type OptionalFields<Value> = {
  readonly [Field in keyof Omit<Required<Value>, "name" | "instructions">]:
    | Required<Value>[Field]
    | undefined;
};

function modelConfigOf<Context, Output>(agent: Agent<Context, Output>): ModelConfig | undefined {
  const name = agent.model?.();
  const modelConfig = agent.modelConfig?.();
  return name === undefined ? modelConfig : { ...modelConfig, name };
}

/**
 * Creates the agent's client. Throws a `TypeError` if the agent's model isn't registered, or if its configuration is
 * invalid.
 */
function clientOf<Context, Output>(agent: Agent<Context, Output>): AgentClient<Output, Context> {
  const value = agent.toValue();
  const config = agent.config?.() ?? {};
  // Resolved here to throw immediately. In the model call, the failure would become an outcome.
  if (config.modelProvider === undefined) resolveModel(config.modelOverride ?? value.modelConfig?.name);
  return createAgentClient(value, {
    modelProvider: AiRegistry.modelProvider,
    context: {} as Readonly<Context>,
    ...config,
  });
}
