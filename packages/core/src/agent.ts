import type * as z from "zod";
import type { ConversationalDeclaration } from "./client/conversational.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { RunState } from "./state.ts";
import type { Tool } from "./tools/tool.ts";
import type { RemembersDeclaration } from "./user-memory/remembers.ts";

/** Whether the model calls tools, or which one: see `ModelConfig.toolChoice`. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** From none at all to as much as the model can. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** What an agent asks of the model. Absent fields are the provider's to choose. */
export type ModelConfig = {
  /** The model's name, e.g. `"gpt-4"`. `RunConfig.modelOverride` outranks it. */
  readonly name?: string;
  readonly temperature?: number;
  /** Nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** The longest reply, in tokens. */
  readonly maxTokens?: number;
  /** How much a reasoning model thinks before it replies; a provider takes the nearest that its model has. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * Whether the model calls tools: as it sees fit (`"auto"`), not at all (`"none"`), at least one (`"required"`), or this
   * one. Once it has called tools for what the user said last, `"required"` and a tool's name count as `"auto"`, or the run
   * would never come to a reply.
   */
  readonly toolChoice?: ToolChoice;
  /** What only one provider knows, by the provider's name, as JSON: `{ openai: { service_tier: "flex" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** How long one attempt of a call may take, in milliseconds. Outranks `RunConfig.modelTimeoutMs`. */
  readonly timeoutMs?: number;
};

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
