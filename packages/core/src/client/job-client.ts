import type { MemoryProvider } from "@jaf/memory";
import { parseOptions, present } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import type { Emit } from "../events.ts";
import { overlay } from "../immutable/overlay.ts";
import type { Middleware } from "../middleware.ts";
import type { WriteHooks } from "../stored/append.ts";
import type { RunUserMemory } from "../user-memory.ts";
import { type AgentClientConfig, type ClientMemoryConfig, parseClientConfig } from "./config.ts";
import { idSchema } from "./conversation.ts";
import type { PromptInput, PromptOptions } from "./options.ts";
import { performPrompt } from "./prompt.ts";
import type { PromptResult } from "./prompt-result.ts";

/**
 * An agent client for the jobs of a server. The server creates it once, and passes a job's settings with each prompt.
 */
export interface JobClient<Ctx, Out = unknown> {
  /** Prompts the agent and streams the model's replies to `job.sink`. Rejects like `AgentClient.prompt`. */
  readonly prompt: (
    input: PromptInput,
    options: PromptOptions<Ctx>,
    job: PromptJob<Ctx>,
  ) => Promise<PromptResult<Out>>;
}

/** The settings that a server's job passes with a prompt. */
export interface PromptJob<Ctx> {
  /** The id of the user that the prompt acts for. */
  readonly userId: string;
  /**
   * The id of the conversation to continue, or a function that creates a conversation and resolves with its id. The
   * function is called after the request is validated. If the store fails, the function must reject with
   * `ConversationStoreError`.
   */
  readonly conversation: string | (() => Promise<string>);
  /** The memory provider of the conversation. Absent: the agent client's store. */
  readonly provider?: MemoryProvider | undefined;
  /** The context of the run, in place of `AgentClientConfig.context`. */
  readonly context: AgentClientConfig<Ctx>["context"];
  /** A middleware that is called after the middleware in the agent client's configuration. */
  readonly middleware: Middleware<Ctx>;
  /** The user memory of the run. Default: the user memory of the process. */
  readonly userMemory?: RunUserMemory | undefined;
  /** Memory settings that replace those of the agent client, field by field. */
  readonly memory?: ClientMemoryConfig | undefined;
  /** Hooks that are called before and after each write of the run. */
  readonly writes: WriteHooks;
  /** Called synchronously with each event of the run. Must not throw. */
  readonly sink: Emit;
}

/** Creates a job client. Throws a `TypeError` that names the invalid fields of the configuration. */
export function createJobClient<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  config: Omit<AgentClientConfig<Ctx>, "context" | "store"> & { readonly store: MemoryProvider },
): JobClient<Ctx, Out> {
  const settings = parseClientConfig<Ctx, Out>(agent, { ...config, context: undefined as never });
  const { userMemory: _, ...run } = settings.run;
  return {
    prompt: async (input, options, job) => {
      const userId = parseOptions(idSchema, job.userId, "user id");
      const { conversation, provider = config.store, context, userMemory, writes, sink } = job;
      const isNew = typeof conversation === "function";
      const settingsOfJob = {
        ...{ ...settings, context },
        memory: overlay(settings.memory, job.memory ?? {}),
        run: {
          ...run,
          middleware: [...(run.middleware ?? []), job.middleware],
          ...present({ userMemory }),
        },
        store: {
          ...settings.store,
          provider,
          ...(isNew ? { create: conversation } : {}),
        } as typeof settings.store,
      };
      const explicit = isNew ? { userId } : { userId, conversationId: conversation };
      const execution = { streaming: true, signal: options.signal, sink, writes };
      return performPrompt(settingsOfJob, { explicit, input, options }, execution);
    },
  };
}
