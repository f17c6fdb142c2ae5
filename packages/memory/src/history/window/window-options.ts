import { integerOptionIssue, optionFields, refuseOptions, unknownFieldIssues } from "../../codec/checks.ts";
import type { MemoryIssue } from "../../contract/errors.ts";
import type { Message, RichMessage } from "../../contract/message.ts";
import type { Fields } from "../../runtime/objects.ts";
import { countMessageTokens, estimateTokens, type Tokenizer } from "./tokens.ts";

interface TrimOptions {
  /**
   * The size to which the window is cut when it exceeds the limit, in messages or tokens. It must be below the limit.
   * With `trimTo`, the window starts with the same messages in many consecutive model calls, so the model provider can
   * use its prompt cache. Absent: the window slides, and each new message pushes out the oldest messages.
   */
  readonly trimTo?: number | undefined;
  /**
   * How many messages of the conversation come before the given messages. The store has dropped them, or they were not
   * read. Only used together with `trimTo`. Default 0.
   */
  readonly dropped?: number | undefined;
  /**
   * Returns the position of a user message in the whole conversation, by its index in the given messages. Needed if the
   * sanitizer has left out messages. With `positionOf`, the window is the same, whether all messages are given or only
   * the last ones. Only used together with `trimTo`. Default: `dropped` plus the index.
   */
  readonly positionOf?: ((index: number) => number) | undefined;
}

/** Options of `messageWindow`. */
export interface MessageWindowOptions extends TrimOptions {
  /** The maximum number of messages in the window, at least 1. */
  readonly maxMessages: number;
}

/** Options of `tokenWindow`. */
export interface TokenWindowOptions extends TrimOptions {
  /** The maximum number of tokens in the window, at least 1. `countMessageTokens` counts them. */
  readonly maxTokens: number;
  /** The function that counts the tokens of a text. Default {@link estimateTokens}. */
  readonly tokenizer?: Tokenizer | undefined;
}

/** Options of `planWindow`: a limit in messages or in tokens. */
export type WindowOptions = MessageWindowOptions | TokenWindowOptions;

/** The limits of a window, in messages or in tokens. */
export interface WindowLimits {
  readonly limit: number;
  /** The size to which the window is cut once it exceeds the limit. Equals the limit if the window slides. */
  readonly low: number;
  readonly dropped: number;
  readonly positionOf: (index: number) => number;
  readonly costOf: (message: Message | RichMessage) => number;
}

const TRIM_FIELDS = ["trimTo", "dropped", "positionOf"] as const;
const MESSAGE_FIELDS = ["maxMessages", ...TRIM_FIELDS];
const TOKEN_FIELDS = ["maxTokens", "tokenizer", ...TRIM_FIELDS];

export const TOKENIZER_EXPECTED = "a function from a text to its number of tokens";
const POSITION_EXPECTED = "a function from an index to a position";

/** Returns an issue if `trimTo` is not below the limit, otherwise `undefined`. */
export const lowMarkIssue = (limit: unknown, trimTo: unknown): MemoryIssue | undefined =>
  Number.isInteger(limit) && Number.isInteger(trimTo) && (trimTo as number) >= (limit as number)
    ? { path: ".trimTo", expected: "a number below the limit" }
    : undefined;

const functionIssue = (path: string, value: unknown, expected: string): MemoryIssue | undefined =>
  value === undefined || typeof value === "function" ? undefined : { path, expected };

const wholeIssue = (path: string, value: unknown, minimum: number): MemoryIssue | undefined =>
  value === undefined ? undefined : integerOptionIssue(path, value, minimum);

function check(what: string, given: Fields, limitField: "maxMessages" | "maxTokens"): void {
  const { [limitField]: limit, trimTo, tokenizer, dropped, positionOf } = given;
  const ofTokens = limitField === "maxTokens";
  refuseOptions(what, [
    integerOptionIssue(`.${limitField}`, limit, 1),
    ofTokens ? functionIssue(".tokenizer", tokenizer, TOKENIZER_EXPECTED) : undefined,
    wholeIssue(".trimTo", trimTo, 1),
    wholeIssue(".dropped", dropped, 0),
    functionIssue(".positionOf", positionOf, POSITION_EXPECTED),
    ...unknownFieldIssues("", given, ofTokens ? TOKEN_FIELDS : MESSAGE_FIELDS),
    lowMarkIssue(limit, trimTo),
  ]);
}

/** Returns the options without those that are `undefined`. */
function givenOf(what: string, options: unknown): Fields {
  // So `{ maxMessages: 20, maxTokens: undefined }` is a valid window in messages.
  const fields = optionFields(what, options);
  const given: Record<string, unknown> = {};
  for (const field of Object.keys(fields)) if (fields[field] !== undefined) given[field] = fields[field];
  return given;
}

const counting = (dropped: number) => (index: number) => dropped + index;

/** Converts the options of a window in messages into limits. Throws a `TypeError` that names an invalid field. */
export function messageLimits(options: MessageWindowOptions): WindowLimits {
  check("message window", givenOf("message window", options), "maxMessages");
  const { maxMessages, trimTo = maxMessages, dropped = 0, positionOf = counting(dropped) } = options;
  return { limit: maxMessages, low: trimTo, dropped, positionOf, costOf: () => 1 };
}

/** Converts the options of a window in tokens into limits. Throws a `TypeError` that names an invalid field. */
export function tokenLimits(options: TokenWindowOptions): WindowLimits {
  check("token window", givenOf("token window", options), "maxTokens");
  const { maxTokens, trimTo = maxTokens, dropped = 0, positionOf = counting(dropped) } = options;
  const { tokenizer = estimateTokens } = options;
  return {
    limit: maxTokens,
    low: trimTo,
    dropped,
    positionOf,
    costOf: (message) => countMessageTokens(message, tokenizer),
  };
}

const isOfTokens = (options: WindowOptions): options is TokenWindowOptions =>
  typeof options === "object" &&
  options !== null &&
  "maxTokens" in options &&
  options.maxTokens !== undefined;

/** Converts the options of a window into limits. Throws a `TypeError` that names an invalid field. */
export const limitsOf = (options: WindowOptions): WindowLimits =>
  isOfTokens(options) ? tokenLimits(options) : messageLimits(options);
