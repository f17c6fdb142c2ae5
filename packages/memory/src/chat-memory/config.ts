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
 * The configuration of a chat memory in YAML or JSON: `{ memoryId, memoryType, maxMessages, maxTokens, trimTo }`. The
 * limit of the chosen type is required; the other limit is ignored. Unknown fields are refused.
 */
export const chatMemoryConfigSchema = z
  .strictObject({
    /** The conversation's id. */
    memoryId: memoryIdSchema.optional(),
    memoryType: z.enum(["message_window", "token_window"]).default("message_window"),
    /** A whole number, at least 1. */
    maxMessages: limitSchema.optional(),
    /** A whole number, at least 1. */
    maxTokens: limitSchema.optional(),
    /** The low mark in messages or tokens, below the limit. Absent: the window slides. */
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

export type ChatMemoryConfig = z.input<typeof chatMemoryConfigSchema>;

/** Parses a value from YAML or JSON. A failure is a `MemoryValidationError` that names each invalid field. */
export function parseChatMemoryConfig(config: unknown): Result<ChatMemoryConfig> {
  const parsed = chatMemoryConfigSchema.safeParse(config);
  if (parsed.success) return createSuccess(parsed.data);
  const issues = schemaIssues(parsed.error).map(({ path, expected }) => ({
    path: `memory${path}`,
    expected,
  }));
  return createFailure(createMemoryValidationError(issues, { operation: "parseChatMemoryConfig" }));
}

/** Options that YAML and JSON can't express. */
export interface ChatMemoryOptions {
  /** For `token_window`. Default `estimateTokens`. */
  readonly tokenizer?: Tokenizer | undefined;
}

const chatMemoryOptionsSchema = z.strictObject({ tokenizer: tokenizerSchema.optional() });

/** Returns the options of `planWindow` for a configuration. Throws a `TypeError` that names the problem. */
export function windowOptionsOf(config: ChatMemoryConfig, options: ChatMemoryOptions = {}): WindowOptions {
  const { memoryType, maxMessages, maxTokens, trimTo } = parseOptions(
    chatMemoryConfigSchema,
    config,
    "chat memory configuration",
  );
  const { tokenizer } = parseOptions(chatMemoryOptionsSchema, options, "chat memory options");
  // The schema has checked that the type's limit is present.
  return memoryType === "token_window"
    ? { maxTokens: maxTokens as number, trimTo, tokenizer }
    : { maxMessages: maxMessages as number, trimTo };
}

/** Returns the window of a history, or the same array if nothing is left out. */
export type ConversationWindow = <M extends Message | RichMessage>(messages: readonly M[]) => readonly M[];

/** Creates the window function of a configuration. Throws a `TypeError` that names the problem. */
export function windowOf(config: ChatMemoryConfig, options: ChatMemoryOptions = {}): ConversationWindow {
  const window = windowOptionsOf(config, options);
  return (messages) => planWindow(messages, window).messages;
}
