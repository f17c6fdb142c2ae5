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

/** The client of an agent for a server's jobs: made once, with all that belongs to one job given to each prompt. */
export interface JobClient<Ctx, Out = unknown> {
  /** Rejects as `AgentClient.prompt` does. The model's replies are streamed. */
  readonly prompt: (
    input: PromptInput,
    options: PromptOptions<Ctx>,
    job: PromptJob<Ctx>,
  ) => Promise<PromptResult<Out>>;
}

/** What a prompt has of the job that it is part of. A job may have several prompts. */
export interface PromptJob<Ctx> {
  readonly userId: string;
  /**
   * The id of the conversation to continue, or a function that makes a new one, once the request is validated. It rejects with
   * `ConversationStoreError` where the store fails.
   */
  readonly conversation: string | (() => Promise<string>);
  /** Where the conversation is read and written, in place of the client's store. */
  readonly provider?: MemoryProvider | undefined;
  readonly context: AgentClientConfig<Ctx>["context"];
  /** Comes after the client's. */
  readonly middleware: Middleware<Ctx>;
  /** The client's isn't used: it is only checked when the client is made. Absent: that of the process. */
  readonly userMemory?: RunUserMemory | undefined;
  /** In place of the client's, field by field. */
  readonly memory?: ClientMemoryConfig | undefined;
  readonly writes: WriteHooks;
  /** Told each event of the run before the next thing happens. Must not throw. */
  readonly sink: Emit;
}

/** Throws a `TypeError` that names what is wrong with the configuration. */
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
