import { listOf } from "@jaf/model-http";
import {
  createMemoryTools,
  type ForgetArguments,
  type RecallArguments,
  type RememberArguments,
  type UserMemory,
} from "@jaf/user-memory";
import type * as z from "zod";
import { saidLast } from "./spoken.ts";

/** Options of {@link userMemoryTools}. */
export interface UserMemoryToolsOptions {
  /** The user memory. Default: the user memory of the process, see `setUserMemory` of `@jaf/user-memory`. */
  readonly memory?: UserMemory | undefined;
  /** The id of the user. Your application sets it, never the model. */
  readonly user: string;
  /** `recall_facts` only returns facts with one of these tags. `remember_fact` adds them to new facts. */
  readonly tags?: readonly string[] | undefined;
}

/** What the AI SDK passes to a tool: the messages of the model call that called the tool. */
interface ToolCallOptions {
  readonly messages?: unknown;
}

/** A tool of the AI SDK. Its result is a text for the model. */
export interface UserMemoryTool<Input> {
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  readonly execute: (input: Input, options: ToolCallOptions) => Promise<string>;
}

/** The tools of a user memory, by the names that the model calls. */
export type UserMemoryTools = {
  /** Stores words that the user said in this turn, as a quotation. */
  readonly remember_fact: UserMemoryTool<RememberArguments>;
  /** Finds facts about the user. The result shows each fact with its id. */
  readonly recall_facts: UserMemoryTool<RecallArguments>;
  /** Deletes a fact about the user by its id. */
  readonly forget_fact: UserMemoryTool<ForgetArguments>;
};

/**
 * Returns the tools of `createMemoryTools` of `@jaf/user-memory` as tools of the AI SDK: a model remembers what the user just
 * said, recalls and forgets. `remember_fact` only stores words that stand in the user's last messages, and refuses others.
 *
 * @example
 * ```ts
 * import { userMemoryTools } from "@jaf/ai-sdk/user-memory";
 * import type { UserMemory } from "@jaf/user-memory";
 * import { generateText, type LanguageModel, stepCountIs } from "ai";
 *
 * declare const memory: UserMemory;
 * declare const model: LanguageModel;
 *
 * const tools = userMemoryTools({ memory, user: "user-42" });
 * const { text } = await generateText({ model, tools, prompt: "I prefer tea.", stopWhen: stepCountIs(5) });
 * console.log(text);
 * ```
 */
export function userMemoryTools(options: UserMemoryToolsOptions): UserMemoryTools {
  const { remember, recall, forget } = createMemoryTools<{ readonly said: readonly string[] }>({
    ...options,
    said: ({ said }) => said,
  });
  const asTool = <Input>({ schema, execute }: MemoryTool<Input>): UserMemoryTool<Input> => ({
    description: schema.description,
    // The schema of these arguments.
    inputSchema: schema.parameters as z.ZodType<Input>,
    execute: async (input, { messages }) =>
      String(await execute(input, { said: saidLast(listOf(messages)) })),
  });
  return {
    remember_fact: asTool(remember),
    recall_facts: asTool(recall),
    forget_fact: asTool(forget),
  };
}

/** The part of a tool of `createMemoryTools` that is used here. */
interface MemoryTool<Input> {
  readonly schema: { readonly description: string; readonly parameters: unknown };
  execute(input: Input, context: { readonly said: readonly string[] }): unknown;
}
