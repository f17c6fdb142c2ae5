import type * as z from "zod";
import type { JAFError } from "./errors.ts";
import { agentLimitFault } from "./limits/time-limit.ts";
import { type Middleware, middlewareFault } from "./middleware.ts";
import {
  type CacheableConfig,
  cacheableFault,
  type ModelConfig,
  settingsFault,
} from "./model/model-config.ts";
import { type StandardSchema, zodSchemaOf } from "./standard-schema.ts";
import type { RunState } from "./state.ts";
import type { Tool } from "./tools/tool.ts";
import type { RemembersDeclaration } from "./user-memory.ts";

/** An agent: instructions, tools and settings. It is plain data without behaviour of its own. */
export type Agent<Ctx, Out> = {
  /**
   * The display name. Usually it equals the agent's registry key in `RunConfig.agentRegistry`, by which the engine
   * identifies the agent.
   */
  readonly name: string;
  /**
   * The system prompt: a text, or a sync or async function that gets the run's state. The engine calls the function
   * once before each model call, and not for retries of that call. The function has the time limit of one attempt of a
   * model call. If it throws or doesn't return a text, the run ends with `InternalError`.
   */
  readonly instructions: string | ((state: Readonly<RunState<Ctx>>) => string | Promise<string>);
  /** The tools that the model can call. Their names must be unique within the agent. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each tool has its own arguments
  readonly tools?: readonly Tool<any, Ctx>[];
  /**
   * Decodes the text of the final reply into the run's output: a schema of zod, or of any library that follows Standard
   * Schema and writes JSON Schema (see `fromStandardSchema`). Without a codec, the output is the reply's text.
   */
  readonly outputCodec?: StandardSchema<Out>;
  /** The registry keys of the agents that this agent can hand off to with `handoffTool`. */
  readonly handoffs?: readonly string[];
  /** The model's name and settings. The model provider chooses the values of absent fields. */
  readonly modelConfig?: ModelConfig;
  /**
   * The parts of the prompts that stay the same between calls, for the prompt cache of the model provider. If
   * `RunConfig.cache` is set, it replaces this field.
   */
  readonly cacheable?: CacheableConfig;
  /**
   * Names the user and the stored conversation of a prompt. Only an agent client uses this field (see
   * `createAgentClient`); `run` ignores it. If the field is absent, prompts are stateless: nothing is loaded or stored.
   */
  readonly conversational?: ConversationalDeclaration<Ctx>;
  /**
   * The agent's middleware, which is called after the middleware in `RunConfig.middleware`. `onStart` and `onFinish`
   * are called in runs that begin with this agent. `wrapModelCall` and `wrapToolCall` wrap this agent's calls in every
   * run.
   */
  readonly middleware?: readonly Middleware<Ctx>[];
  /**
   * The user memory settings of runs that begin with this agent: the user, and whether facts about the user are recalled and
   * stored. If `RunConfig.remembers` is set, it replaces this field. Has no effect without a user memory; see
   * `RunConfig.userMemory`.
   */
  readonly remembers?: RemembersDeclaration<Ctx>;
};

/** Names the stored conversation that a prompt belongs to. */
export interface Conversational {
  /** The id of the user. A falsy value means that no user is signed in: nothing is loaded or stored. */
  readonly user: string | false | null | undefined;
  /**
   * The id of an existing conversation of this user. Default: the one conversation (thread) that the user has with the agent.
   */
  readonly id?: string | undefined;
  /**
   * The name of the thread, i.e. of the conversation that is used if `id` is absent. A user has one thread for each
   * name. Default: the agent's name.
   */
  readonly agent?: string | undefined;
  /** The maximum number of messages that the model sees, from 1: the newest ones. Older messages stay stored. Default: all. */
  readonly historyLimit?: number | undefined;
}

/**
 * A {@link Conversational}, or a falsy value if no user is signed in. A prompt without a user is stateless: nothing is
 * loaded or stored. A prompt without a user rejects if `AgentClient.continue` returned the agent client.
 */
export type MaybeConversational = Conversational | false | null | undefined;

/**
 * The type of `Agent.conversational`: a value, or a sync or async function that gets the prompt's context and returns the
 * value.
 */
export type ConversationalDeclaration<Ctx> =
  | MaybeConversational
  | ((context: Readonly<Ctx>) => MaybeConversational | Promise<MaybeConversational>);

/**
 * The agent as a model provider gets it. `instructions` returns a text that the engine computed before the call.
 * `outputCodec` is a zod schema, even if the agent's own is one of another library.
 */
// biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
export type ResolvedAgent<Ctx, Out = any> = Omit<Agent<Ctx, Out>, "instructions" | "outputCodec"> & {
  readonly instructions: (state: Readonly<RunState<Ctx>>) => string;
  readonly outputCodec?: z.ZodType<Out>;
};

export type FoundAgent<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  { readonly ok: true; readonly agent: Agent<Ctx, any> } | { readonly ok: false; readonly error: JAFError };

interface Registry<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
}

/** Returns the agent under a registry key, or an error if the agent is missing or its configuration is invalid. */
export function findAgent<Ctx>({ agentRegistry }: Registry<Ctx>, agentName: string): FoundAgent<Ctx> {
  const agent = agentRegistry.get(agentName);
  if (agent === undefined) return { ok: false, error: { _tag: "AgentNotFound", agentName } };
  const twice = sharedToolName(agent);
  const { modelConfig, tools, middleware, cacheable } = agent;
  const fault =
    agentLimitFault(agent) ??
    settingsFault(modelConfig, (name) => tools?.some(({ schema }) => schema.name === name) === true) ??
    middlewareFault(middleware, "Agent.middleware") ??
    cacheableFault(cacheable) ??
    codecFault(agent);
  if (twice === undefined && fault === undefined) return { ok: true, agent };
  const detail =
    twice === undefined
      ? `agent "${agentName}": ${fault}`
      : `agent "${agentName}" has two tools named "${twice}"`;
  return { ok: false, error: { _tag: "InternalError", detail } };
}

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
function codecFault<Ctx>({ outputCodec }: Agent<Ctx, any>): string | undefined {
  try {
    if (outputCodec !== undefined) zodSchemaOf(outputCodec, "outputCodec");
    return undefined;
  } catch (thrown) {
    return (thrown as TypeError).message;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
function sharedToolName<Ctx>({ tools = [] }: Agent<Ctx, any>): string | undefined {
  if (tools.length < 2) return undefined;
  const names = new Set<string>();
  for (const { schema } of tools) {
    if (names.has(schema.name)) return schema.name;
    names.add(schema.name);
  }
  return undefined;
}
