import * as z from "zod";
import { parseOptions, schemaIssues } from "../codec/checks.ts";
import {
  createFailure,
  createMemoryValidationError,
  createSuccess,
  type Result,
} from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { Message, RichMessage } from "../contract/message.ts";
import type { Tokenizer } from "../history/window/tokens.ts";
import { planWindow } from "../history/window/window.ts";
import { lowMarkIssue, TOKENIZER_EXPECTED, type WindowOptions } from "../history/window/window-options.ts";

const memoryIdSchema = z.string().superRefine((id, context) => {
  const issue = idIssue("memoryId", id);
  if (issue !== undefined) context.addIssue({ code: "custom", message: `expected ${issue.expected}` });
});

const limitSchema = z.int().min(1);

const tokenizerSchema = z.custom<Tokenizer>((value) => typeof value === "function", {
  error: `expected ${TOKENIZER_EXPECTED}`,
});

/**
 * The configuration of a chat memory in YAML or JSON. `maxMessages` or `maxTokens` is required, depending on
 * `memoryType`.
 */
export const chatMemoryConfigSchema = z
  .strictObject({
    /** The id of the conversation. `createChatMemory` requires it. */
    memoryId: memoryIdSchema.optional(),
    /** The unit of the limit: messages or tokens. Default `"message_window"`. */
    memoryType: z.enum(["message_window", "token_window"]).default("message_window"),
    /**
     * The maximum number of messages in the window, at least 1. Required for `message_window`, ignored for
     * `token_window`.
     */
    maxMessages: limitSchema.optional(),
    /**
     * The maximum number of tokens in the window, at least 1. Required for `token_window`, ignored for
     * `message_window`.
     */
    maxTokens: limitSchema.optional(),
    /**
     * The size to which a full window is trimmed, in messages or tokens. It must be less than the limit (`maxMessages`
     * or `maxTokens`). Absent: each new message pushes out the oldest messages.
     */
    trimTo: limitSchema.optional(),
  })
  .superRefine(({ memoryType, maxMessages, maxTokens, trimTo }, context) => {
    const ofTokens = memoryType === "token_window";
    const limit = ofTokens ? maxTokens : maxMessages;
    if (limit === undefined) {
      context.addIssue({
        code: "custom",
        path: [ofTokens ? "maxTokens" : "maxMessages"],
        message: `expected a whole number from 1, since memoryType is "${memoryType}"`,
      });
    }
    const lowMark = lowMarkIssue(limit, trimTo);
    if (lowMark !== undefined) {
      context.addIssue({ code: "custom", path: ["trimTo"], message: `expected ${lowMark.expected}` });
    }
  });

/**
 * The configuration of a chat memory: its conversation, and the limit of its window. `memoryType` says whether
 * `maxMessages` or `maxTokens` is required.
 */
export type ChatMemoryConfig = z.input<typeof chatMemoryConfigSchema>;

/**
 * Checks a configuration from YAML or JSON. Returns the configuration, or a `MemoryValidationError` that names each
 * invalid field.
 *
 * @example
 * ```ts
 * import { createChatMemory, createInMemoryProvider, parseChatMemoryConfig } from "@jaf/memory";
 *
 * declare const fromYaml: unknown;
 *
 * const config = parseChatMemoryConfig(fromYaml);
 * if (!config.success) throw new TypeError(config.error.message);
 * export const memory = createChatMemory(config.data, createInMemoryProvider());
 * ```
 */
export function parseChatMemoryConfig(config: unknown): Result<ChatMemoryConfig> {
  const parsed = chatMemoryConfigSchema.safeParse(config);
  if (parsed.success) return createSuccess(parsed.data);
  const issues = schemaIssues(parsed.error).map(({ path, expected }) => ({
    path: `memory${path}`,
    expected,
  }));
  return createFailure(createMemoryValidationError(issues, { operation: "parseChatMemoryConfig" }));
}

/** Options of a chat memory that YAML and JSON can't express. */
export interface ChatMemoryOptions {
  /** The function that counts the tokens of a text. Only used for `token_window`. Default `estimateTokens`. */
  readonly tokenizer?: Tokenizer | undefined;
}

const chatMemoryOptionsSchema = z.strictObject({ tokenizer: tokenizerSchema.optional() });

/**
 * Converts a configuration into the options of `planWindow`. Throws a `TypeError` that names the problem if the
 * configuration is invalid.
 */
export function windowOptionsOf(config: ChatMemoryConfig, options: ChatMemoryOptions = {}): WindowOptions {
  const { memoryType, maxMessages, maxTokens, trimTo } = parseOptions(
    chatMemoryConfigSchema,
    config,
    "chat memory configuration",
  );
  const { tokenizer } = parseOptions(chatMemoryOptionsSchema, options, "chat memory options");
  // The schema has already checked that the limit for the type is present.
  return memoryType === "token_window"
    ? { maxTokens: maxTokens as number, trimTo, tokenizer }
    : { maxMessages: maxMessages as number, trimTo };
}

/** A function that returns the window of a history. Returns the same array if the window leaves out no message. */
export type ConversationWindow = <M extends Message | RichMessage>(messages: readonly M[]) => readonly M[];

/**
 * Creates the function that computes the window for a configuration. Throws a `TypeError` that names the problem if the
 * configuration is invalid.
 *
 * @example
 * ```ts
 * import { type Message, windowOf } from "@jaf/memory";
 *
 * declare const history: readonly Message[];
 *
 * const toWindow = windowOf({ memoryType: "token_window", maxTokens: 8_000, trimTo: 4_000 });
 * console.log(toWindow(history).length);
 * ```
 */
export function windowOf(config: ChatMemoryConfig, options: ChatMemoryOptions = {}): ConversationWindow {
  const window = windowOptionsOf(config, options);
  return (messages) => planWindow(messages, window).messages;
}
