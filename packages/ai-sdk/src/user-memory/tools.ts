import { listOf } from "@jaf/model-http";
import {
  createMemoryTools,
  createMessageSearchTool,
  type ForgetArguments,
  type MessageSearch,
  type RecallArguments,
  type RememberArguments,
  type SearchArguments,
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
  const { remember, recall, forget } = createMemoryTools<TurnContext>({
    ...options,
    said: ({ said }) => said,
  });
  return {
    remember_fact: asTool(remember),
    recall_facts: asTool(recall),
    forget_fact: asTool(forget),
  };
}

/** Options of {@link messageSearchTools}. */
export interface MessageSearchToolsOptions {
  /** The search over the conversations, of `createMessageSearch` of `@jaf/user-memory`. */
  readonly search: MessageSearch;
  /** The id of the user. Your application sets it, never the model. */
  readonly user: string;
}

/** The tool of a search in past conversations, by the name that the model calls. */
export type MessageSearchTools = {
  /** Finds passages of the user's past conversations by words. The result shows each passage with its conversation. */
  readonly search_conversations: UserMemoryTool<SearchArguments>;
};

/**
 * Returns the tool of `createMessageSearchTool` of `@jaf/user-memory` as a tool of the AI SDK: a model searches the user's
 * past conversations. The user's last messages themselves aren't found.
 *
 * @example
 * ```ts
 * import { messageSearchTools } from "@jaf/ai-sdk/user-memory";
 * import type { MemoryProvider } from "@jaf/memory";
 * import { createMessageSearch } from "@jaf/user-memory";
 * import { generateText, type LanguageModel, stepCountIs } from "ai";
 *
 * declare const provider: MemoryProvider;
 * declare const model: LanguageModel;
 *
 * const tools = messageSearchTools({ search: createMessageSearch(provider), user: "user-42" });
 * const prompt = "What did we say about Oslo?";
 * console.log((await generateText({ model, tools, prompt, stopWhen: stepCountIs(5) })).text);
 * ```
 */
export const messageSearchTools = (options: MessageSearchToolsOptions): MessageSearchTools => ({
  search_conversations: asTool(
    createMessageSearchTool<TurnContext>({ ...options, said: ({ said }) => said }),
  ),
});

interface TurnContext {
  /** The texts of the user's last messages. */
  readonly said: readonly string[];
}

/** The part of a tool of `@jaf/user-memory` that is used here. */
interface MemoryTool<Input> {
  readonly schema: { readonly description: string; readonly parameters: unknown };
  execute(input: Input, context: TurnContext): unknown;
}

const asTool = <Input>({ schema, execute }: MemoryTool<Input>): UserMemoryTool<Input> => ({
  description: schema.description,
  // The schema of these arguments.
  inputSchema: schema.parameters as z.ZodType<Input>,
  execute: async (input, { messages }) => String(await execute(input, { said: saidLast(listOf(messages)) })),
});
