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
  type Tool,
} from "@jaf/core";
import { present } from "@jaf/memory/internal";
import type * as z from "zod";
import { AiRegistry, resolveModel } from "./ai-registry.ts";

/** The return type of a declaration's function. */
type Returned<Declaration> = Declaration extends (context: never) => infer Result ? Result : never;

/** TypeScript widens `messages: "all"` to `string` in a method of a class. The value is checked when it is used. */
type ReturnedCacheable = Omit<CacheableConfig, "messages"> & {
  readonly messages?: number | string | undefined;
};

/**
 * The configuration of an agent's client. All fields are optional: by default the class uses `AiRegistry` and an empty
 * context.
 */
export interface AgentConfig<Context = unknown> extends Partial<AgentClientConfig<Context>> {}

/**
 * An agent as a class. Each field of an agent value is a method with the same name that returns the field's value. The class
 * adds the methods of `createAgentClient` and no other behaviour. It calls the methods for each prompt; `forUser` and
 * `continue` call them once and keep the results.
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
  /** Default: the name of the class. It separates the conversations of agents. Return a fixed name if you minify your code. */
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
  outputCodec?(): z.ZodType<Output>;
  /** The names of the agents that this agent can hand off to with `handoffTool`; see `agents` in `config`. Default: none. */
  handoffs?(): readonly string[];
  /** The settings for the model. The model provider chooses absent values. */
  modelConfig?(): ModelConfig;
  /** The parts of the prompts that stay the same between calls, for the provider's prompt cache. Default: none. */
  cacheable?(): ReturnedCacheable;
  /** The user and the conversation of a prompt, from its context. Default: prompts are stateless, except with `forUser`. */
  conversational?(context: Readonly<Context>): Returned<ConversationalDeclaration<Context>>;
  /** The agent's middleware. Default: none. */
  middleware?(): readonly Middleware<Context>[];
  /** The settings of user memory, from a prompt's context. Default: none. Needs a user memory; see `setUserMemory`. */
  remembers?(context: Readonly<Context>): Returned<RemembersDeclaration<Context>>;

  /** `modelConfig().name`, e.g. `"anthropic/claude-sonnet-4-6"`. Default: the model of `AiRegistry.setDefault`. */
  model?(): string;
  /**
   * The other options of `createAgentClient`: context, limits, guardrails, agents for handoffs, and a `modelProvider` instead
   * of `AiRegistry`.
   */
  config?(): AgentConfig<Context>;

  /** Also rejects with a `TypeError` if the agent's model isn't registered. See `AgentClient.prompt`. */
  async prompt(input: PromptInput, options?: PromptOptions<Context>): Promise<PromptResult<Output>> {
    return clientOf(this).prompt(input, options);
  }
  /** Throws a `TypeError` if the agent's model isn't registered. See `AgentClient.stream`. */
  stream(input: PromptInput, options?: PromptOptions<Context>): PromptStream<Output> {
    return clientOf(this).stream(input, options);
  }
  /** Throws a `TypeError` if the agent's model isn't registered. See `AgentClient.forUser`. */
  forUser(userId: string): AgentClient<Output, Context> {
    return clientOf(this).forUser(userId);
  }
  /** Throws a `TypeError` if the agent's model isn't registered. See `AgentClient.continue`. */
  continue(conversationId: string): AgentClient<Output, Context> {
    return clientOf(this).continue(conversationId);
  }

  /** Returns the agent as a value, for `createAgentClient`, `run`, or the `agents` in another agent's `config`. */
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

/** Requires all optional fields, so the compiler reports a forgotten one. */
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

/** Throws a `TypeError` if the agent's model isn't registered or `createAgentClient` refuses the configuration. */
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
