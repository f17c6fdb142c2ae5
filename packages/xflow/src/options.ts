import type { ModelProvider, RunConfig, RunSettings, ToolCallInfo } from "@jaf/core";
import type { MemoryProvider, Tokenizer } from "@jaf/memory";
import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";

/** What an application gives to a state. */
export interface LoadAgentStateOptions<Ctx> {
  /** The models by the names that `aiModel` may have. */
  readonly models: Readonly<Record<string, ModelProvider<Ctx> | RegisteredModel<Ctx>>>;
  /** The functions of the tools, by the tools' names. Each tool of the state needs one; others aren't used. */
  readonly tools?: Readonly<Record<string, ToolFunction<Ctx>>>;
  /** Where conversations are stored. Required by a state with `memory`. */
  readonly provider?: MemoryProvider;
  /** Counts tokens for `token_window`. Default: `estimateTokens` of `@jaf/memory`. */
  readonly tokenizer?: Tokenizer;
  /** E.g. time limits, retries, prices and `onEvent`. */
  readonly runConfig?: StateRunConfig<Ctx>;
  readonly limits?: Partial<Omit<AgentStateLimits, "jq">> & { readonly jq?: Partial<JqLimits> };
}

/**
 * A function for a tool of the state. It gets arguments that match the tool's `parameters`, and returns what matches its `output`:
 * text, or data, which the model gets as JSON. What it throws is an error for the model. It is written as a method, so that a
 * function may name the fields of its arguments, which TypeScript can't know from a file.
 */
export type ToolFunction<Ctx> = {
  call(args: object, context: Readonly<Ctx>, info: ToolCallInfo): unknown;
}["call"];

/** A model of the application: its provider, and the name that the provider knows it by. */
export interface RegisteredModel<Ctx> {
  readonly provider: ModelProvider<Ctx>;
  /** Default: the name in the registry. */
  readonly model?: string;
}

/** The settings of runs that the state doesn't determine. */
export type StateRunConfig<Ctx> = Omit<RunSettings<Ctx>, "modelProvider" | "modelOverride" | "validate"> &
  Pick<RunConfig<Ctx>, "remembers" | "cache">;

/** How much a state and its expressions may take. */
export interface AgentStateLimits {
  /** Characters of the state's text, from 1. Default 262,144. */
  readonly textLength: number;
  /** One evaluation of jq. */
  readonly jq: JqLimits;
}

/** What one evaluation of jq may take. */
export interface JqLimits {
  /** Milliseconds of one evaluation, from 1. Default 1,000. */
  readonly timeMs: number;
  /** Bytes of jq's memory, from 33,554,432 (32 MiB). Default 67,108,864 (64 MiB). */
  readonly memoryBytes: number;
  /** Characters of an evaluation's results, as JSON, from 1. Default 1,000,000. */
  readonly outputLength: number;
}

const MIN_JQ_MEMORY = 32 * 1024 * 1024;
const count = z.int().min(1);
const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isModel = (value: unknown): boolean =>
  isObject(value) && ("getCompletion" in value || ("provider" in value && isObject(value.provider)));

const optionsSchema = z.strictObject({
  models: z.record(z.string(), z.custom(isModel, "expected a model provider, or { provider, model? }")),
  tools: z.record(z.string(), z.custom(isFunction, "expected a function")).optional(),
  provider: z.custom(isObject, "expected a memory provider").optional(),
  tokenizer: z.custom(isFunction, "expected a function").optional(),
  runConfig: z
    .looseObject({
      memory: z.undefined("expected nothing: the state's memory decides").optional(),
      agentRegistry: z.undefined("expected nothing: the state is the agent").optional(),
      modelProvider: z.undefined("expected nothing: give it in models").optional(),
      conversationId: z.undefined("expected nothing: it is the state's memoryId").optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      textLength: count.optional(),
      jq: z
        .strictObject({
          timeMs: count.max(2 ** 31 - 1).optional(),
          memoryBytes: z.int().min(MIN_JQ_MEMORY).optional(),
          outputLength: count.optional(),
        })
        .optional(),
    })
    .optional(),
});

const DEFAULT_JQ_LIMITS: JqLimits = {
  timeMs: 1_000,
  memoryBytes: 64 * 1024 * 1024,
  outputLength: 1_000_000,
};

/** Throws a `TypeError` that names what is wrong. */
export function checkOptions<Ctx>(options: LoadAgentStateOptions<Ctx>): AgentStateLimits {
  parseOptions<unknown>(optionsSchema, options, "options of loadAgentState");
  const { textLength = 262_144, jq = {} } = options.limits ?? {};
  return { textLength, jq: { ...DEFAULT_JQ_LIMITS, ...jq } };
}
