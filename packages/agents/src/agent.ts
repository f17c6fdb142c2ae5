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

/** What a declaration's function returns. */
type Returned<Declaration> = Declaration extends (context: never) => infer Result ? Result : never;

/** In a method of a class, TypeScript widens `messages: "all"` to `string`; the value is checked when it is used. */
type ReturnedCacheable = Omit<CacheableConfig, "messages"> & {
  readonly messages?: number | string | undefined;
};

/** The configuration of an agent's client, without what the agent's class has by default: a model and an empty context. */
export type AgentConfig<Context = unknown> = Partial<AgentClientConfig<Context>>;

/**
 * An agent as a class. Each field of an agent value is a method of the same name, which returns the field's value; the class
 * adds the client of `createAgentClient` and no rule of its own. Methods are called for each prompt; `forUser` and `continue`
 * keep what they have returned then.
 *
 * @example
 * class SupportAgent extends Agent {
 *   instructions() { return "Be kind."; }
 *   conversational() { return { user: currentUserId }; }
 * }
 * const { text } = await new SupportAgent().prompt("Hi");
 */
export abstract class Agent<Context = unknown, Output = string> implements AgentClient<Output, Context> {
  /** Default: the name of the class. Threads of conversations are kept apart by it; a minifier may change it. */
  name(): string {
    return this.constructor.name;
  }
  /** The system prompt. Default: none. */
  instructions(_state: Readonly<RunState<Context>>): string | Promise<string> {
    return "";
  }
  // biome-ignore lint/suspicious/noExplicitAny: as in an agent value; each tool has its own arguments
  tools?(): readonly Tool<any, Context>[];
  outputCodec?(): z.ZodType<Output>;
  handoffs?(): readonly string[];
  modelConfig?(): ModelConfig;
  cacheable?(): ReturnedCacheable;
  conversational?(context: Readonly<Context>): Returned<ConversationalDeclaration<Context>>;
  middleware?(): readonly Middleware<Context>[];
  remembers?(context: Readonly<Context>): Returned<RemembersDeclaration<Context>>;

  /** `modelConfig().name`, e.g. `"anthropic/claude-sonnet-4-6"`. Default: the model of `AiRegistry.setDefault`. */
  model?(): string;
  /**
   * The rest of what `createAgentClient` takes: the context, limits, guardrails, the agents to hand over to, and also another
   * `modelProvider` than `AiRegistry`'s.
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

  /** The agent as a value, for `createAgentClient`, `run`, or the `agents` of another one's `config`. */
  toValue(): AgentValue<Context, Output> {
    return {
      name: this.name(),
      instructions: (state) => this.instructions(state),
      // A method that isn't there is a field that isn't there: a declaration of nobody is another thing than none.
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

/** All of them, so that none is forgotten. */
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

/** Throws a `TypeError` if the agent's model isn't registered, and for what `createAgentClient` refuses. */
function clientOf<Context, Output>(agent: Agent<Context, Output>): AgentClient<Output, Context> {
  const value = agent.toValue();
  const config = agent.config?.() ?? {};
  // At once, since a failure of the model's call would be an outcome.
  if (config.modelProvider === undefined) resolveModel(config.modelOverride ?? value.modelConfig?.name);
  return createAgentClient(value, {
    modelProvider: AiRegistry.modelProvider,
    context: {} as Readonly<Context>,
    ...config,
  });
}
