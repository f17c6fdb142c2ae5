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
import type { RunState } from "./state.ts";
import type { Tool } from "./tools/tool.ts";
import type { RemembersDeclaration } from "./user-memory.ts";

/** An agent is a value: instructions, tools and rules, and no behaviour of its own. */
export type Agent<Ctx, Out> = {
  /** A name for people. The engine identifies an agent by its key in `RunConfig.agentRegistry`, which is usually the same. */
  readonly name: string;
  /**
   * The system prompt: a text, or a function, which may be async, of the state that the model is about to get. The function is
   * called once for each model call, not again for retries, and may take as long as one attempt of the call. If it throws or
   * returns something other than a text, the run ends with `InternalError`.
   */
  readonly instructions: string | ((state: Readonly<RunState<Ctx>>) => string | Promise<string>);
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each tool has its own arguments
  readonly tools?: readonly Tool<any, Ctx>[];
  /** Decodes the final reply. Without a codec, the output is the reply's text. */
  readonly outputCodec?: z.ZodType<Out>;
  /** The registry keys of the agents to which this one may hand the conversation, by `handoffTool`. */
  readonly handoffs?: readonly string[];
  readonly modelConfig?: ModelConfig;
  /** Which parts of the prompts stay the same from call to call, so that a provider may cache them. `RunConfig.cache` takes precedence. */
  readonly cacheable?: CacheableConfig;
  /**
   * Which user's conversation a prompt belongs to, so that an agent client loads and stores it; see `createAgentClient`. Absent:
   * prompts are stateless. `run` ignores it.
   */
  readonly conversational?: ConversationalDeclaration<Ctx>;
  /** The middleware of runs that begin with this agent, after that of `RunConfig.middleware`. */
  readonly middleware?: readonly Middleware<Ctx>[];
  /**
   * Which user's facts the runs that begin with this agent recall, and whether they store new ones. `RunConfig.remembers` takes
   * precedence. Has no effect without a user memory: see `RunConfig.userMemory`.
   */
  readonly remembers?: RemembersDeclaration<Ctx>;
};

/** Which stored conversation a prompt belongs to. */
export interface Conversational {
  /** The id of the user. Falsy: nobody is signed in, so nothing is loaded and nothing is stored. */
  readonly user: string | false | null | undefined;
  /** The id of an existing conversation of this user. Default: the one thread that the user has with the agent. */
  readonly id?: string | undefined;
  /** Keeps the threads of one user with several agents apart. Default: the agent's name. */
  readonly agent?: string | undefined;
  /** How many of the last messages the model sees at most, from 1. All messages stay stored. Default: all. */
  readonly historyLimit?: number | undefined;
}

/** A {@link Conversational}, or nobody: then prompts are stateless, and `continue` is refused. */
export type MaybeConversational = Conversational | false | null | undefined;

/** An agent's declaration: a fixed value, or a function of the context of each prompt. */
export type ConversationalDeclaration<Ctx> =
  | MaybeConversational
  | ((context: Readonly<Ctx>) => MaybeConversational | Promise<MaybeConversational>);

/** An agent as a model provider gets it: `instructions` returns a text that was computed before the call. */
// biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
export type ResolvedAgent<Ctx, Out = any> = Omit<Agent<Ctx, Out>, "instructions"> & {
  readonly instructions: (state: Readonly<RunState<Ctx>>) => string;
};

export type FoundAgent<Ctx> =
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  { readonly ok: true; readonly agent: Agent<Ctx, any> } | { readonly ok: false; readonly error: JAFError };

interface Registry<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
}

/** The agent under a registry key, which needn't be its `name`, if its configuration is valid. */
export function findAgent<Ctx>({ agentRegistry }: Registry<Ctx>, agentName: string): FoundAgent<Ctx> {
  const agent = agentRegistry.get(agentName);
  if (agent === undefined) return { ok: false, error: { _tag: "AgentNotFound", agentName } };
  const twice = sharedToolName(agent);
  const { modelConfig, tools, middleware, cacheable } = agent;
  const fault =
    agentLimitFault(agent) ??
    settingsFault(modelConfig, (name) => tools?.some(({ schema }) => schema.name === name) === true) ??
    middlewareFault(middleware, "Agent.middleware") ??
    cacheableFault(cacheable);
  if (twice === undefined && fault === undefined) return { ok: true, agent };
  const detail =
    twice === undefined
      ? `agent "${agentName}": ${fault}`
      : `agent "${agentName}" has two tools named "${twice}"`;
  return { ok: false, error: { _tag: "InternalError", detail } };
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
