import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import { lazy } from "../lazy.ts";
import type { Message, RichMessage } from "../message.ts";
import { countMessageTokens } from "./message-tokens.ts";
import { estimateTokens, type Tokenizer } from "./tokens.ts";

interface StepOptions {
  /**
   * The low mark: once the limit is passed, the window is cut down to this at once, so that many calls in a row begin
   * with the same messages and the model provider's prompt cache holds. Below the limit. Absent: the window slides.
   */
  readonly trimTo?: number | undefined;
  /**
   * How many messages of the conversation stand before those given: dropped by the store, or not read. Only matters with
   * `trimTo`. Default 0.
   */
  readonly dropped?: number | undefined;
  /**
   * The position of a user message in the whole conversation, by its index in those given. Only matters with `trimTo`,
   * where the sanitizer has left out messages: for the window to be the same whether all is given or the end. Default: as
   * many as `dropped` and the index.
   */
  readonly positionOf?: ((index: number) => number) | undefined;
}

export interface MessageWindowOptions extends StepOptions {
  /** At most this many messages, from 1. */
  readonly maxMessages: number;
}

export interface TokenWindowOptions extends StepOptions {
  /** At most this many tokens, from 1, as `countMessageTokens` counts them. */
  readonly maxTokens: number;
  /** Default: {@link estimateTokens}. */
  readonly tokenizer?: Tokenizer | undefined;
}

export type WindowOptions = MessageWindowOptions | TokenWindowOptions;

/** Limits in whatever a message costs: one each, or its tokens. */
export interface WindowLimits {
  readonly limit: number;
  /** Equals the limit where the window slides. */
  readonly low: number;
  readonly dropped: number;
  readonly positionOf: (index: number) => number;
  readonly costOf: (message: Message | RichMessage) => number;
}

export const tokenizerSchema = lazy(() =>
  z.custom<Tokenizer>((value) => typeof value === "function", {
    error: "expected a function from a text to its number of tokens",
  }),
);

export const limitSchema = lazy(() => z.int().min(1));

/** Adds an issue if the low mark is not below the limit. */
export function checkLowMark(
  limit: number | undefined,
  trimTo: number | undefined,
  context: z.RefinementCtx,
): void {
  if (limit === undefined || trimTo === undefined || trimTo < limit) return;
  context.addIssue({ code: "custom", path: ["trimTo"], message: "expected a number below the limit" });
}

const steps = lazy(() => ({
  trimTo: limitSchema().optional(),
  dropped: z.int().min(0).default(0),
  positionOf: z
    .custom<(index: number) => number>((value) => typeof value === "function", {
      error: "expected a function from an index to a position",
    })
    .optional(),
}));

const counting = (dropped: number) => (index: number) => dropped + index;

const messageWindowSchema = lazy(() =>
  z
    .strictObject({ maxMessages: limitSchema(), ...steps() })
    .superRefine(({ maxMessages, trimTo }, context) => checkLowMark(maxMessages, trimTo, context)),
);

const tokenWindowSchema = lazy(() =>
  z
    .strictObject({
      maxTokens: limitSchema(),
      tokenizer: tokenizerSchema().default(() => estimateTokens),
      ...steps(),
    })
    .superRefine(({ maxTokens, trimTo }, context) => checkLowMark(maxTokens, trimTo, context)),
);

/** An option that is `undefined` is as if it weren't there, that of the other window too. */
const givenOf = (options: WindowOptions): unknown =>
  typeof options === "object" && options !== null
    ? Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    : options;

/** Throws a `TypeError` that names the field. */
export function messageLimits(options: MessageWindowOptions): WindowLimits {
  const given = givenOf(options);
  const parsed = parseOptions(messageWindowSchema(), given, "message window");
  const { maxMessages, trimTo, dropped, positionOf = counting(dropped) } = parsed;
  return { limit: maxMessages, low: trimTo ?? maxMessages, dropped, positionOf, costOf: () => 1 };
}

/** Throws a `TypeError` that names the field. */
export function tokenLimits(options: TokenWindowOptions): WindowLimits {
  const given = givenOf(options);
  const parsed = parseOptions(tokenWindowSchema(), given, "token window");
  const { maxTokens, tokenizer, trimTo, dropped, positionOf = counting(dropped) } = parsed;
  return {
    limit: maxTokens,
    low: trimTo ?? maxTokens,
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

/** Throws a `TypeError` that names the field. */
export const limitsOf = (options: WindowOptions): WindowLimits =>
  isOfTokens(options) ? tokenLimits(options) : messageLimits(options);
