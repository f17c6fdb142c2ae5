import type * as z from "zod";
import type { ConversationalDeclaration } from "./client/conversational.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { RemembersDeclaration } from "./middleware/user-memory/remembers.ts";
import type { CacheableConfig } from "./model/cache.ts";
import type { ModelConfig } from "./model/model-config.ts";
import type { RunState } from "./state.ts";
import type { Tool } from "./tools/tool.ts";

/** An agent is a value: instructions, tools and rules, and no behaviour of its own. */
export type Agent<Ctx, Out> = {
  /** For people. The engine goes by the agent's key in `RunConfig.agentRegistry`, which is usually the same. */
  readonly name: string;
  /**
   * The system prompt: a text, or a function of the state that the model is about to see, which may be async. The engine asks
   * it once for each model call, however often that is tried again; it may take as long as one attempt of the call may. If it
   * throws or gives no text, the run ends with `InternalError`.
   */
  readonly instructions: string | ((state: Readonly<RunState<Ctx>>) => string | Promise<string>);
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each tool has its own arguments
  readonly tools?: readonly Tool<any, Ctx>[];
  /** Decodes the final reply. Without one the output is the reply's text. */
  readonly outputCodec?: z.ZodType<Out>;
  /** Registry keys of the agents that this one may hand the conversation to, by `handoffTool`. */
  readonly handoffs?: readonly string[];
  readonly modelConfig?: ModelConfig;
  /** Which parts of its prompts stay the same from call to call, so that a provider may keep them. `RunConfig.cache` outranks it. */
  readonly cacheable?: CacheableConfig;
  /**
   * Whose conversation a prompt belongs to, so that an agent client loads and stores it; see `createAgentClient`. Absent:
   * prompts are stateless. `run` doesn't look at it.
   */
  readonly conversational?: ConversationalDeclaration<Ctx>;
  /** Takes part in the runs that begin with this agent, behind that of `RunConfig.middleware`. */
  readonly middleware?: readonly Middleware<Ctx>[];
  /**
   * Which user's facts the runs that begin with this agent know, and whether they learn new ones. `RunConfig.remembers`
   * outranks it. Does nothing without a user memory: see `setUserMemory` and `RunConfig.userMemory`.
   */
  readonly remembers?: RemembersDeclaration<Ctx>;
};

/** An agent as a model provider gets it: its instructions are there, and `instructions` only returns them. */
// biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
export type ResolvedAgent<Ctx, Out = any> = Omit<Agent<Ctx, Out>, "instructions"> & {
  readonly instructions: (state: Readonly<RunState<Ctx>>) => string;
};
