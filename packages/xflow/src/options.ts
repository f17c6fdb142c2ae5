import type { ModelProvider, RunConfig, RunSettings, ToolCallInfo } from "@jaf/core";
import type { MemoryProvider, Tokenizer } from "@jaf/memory";
import { checkRelease, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";

/** The application's models, tools and settings for a state. */
export interface LoadAgentStateOptions<Ctx> {
  /** The models, by the names that states use in `aiModel`. */
  readonly models: Readonly<Record<string, ModelProvider<Ctx> | RegisteredModel<Ctx>>>;
  /**
   * The functions of the tools, by tool name. Each tool of the state needs a function. A function under any other name
   * isn't used.
   */
  readonly tools?: Readonly<Record<string, ToolFunction<Ctx>>>;
  /** The store for conversations. Required if the state has `memory`. */
  readonly provider?: MemoryProvider;
  /** Counts the tokens of messages, for a state with a `token_window`. Default: `estimateTokens` of `@jaf/memory`. */
  readonly tokenizer?: Tokenizer;
  /** Further settings of runs, e.g. time limits, retries, prices and `onEvent`. */
  readonly runConfig?: StateRunConfig<Ctx>;
  /** Limits of the state's text and of its expressions. They replace the default limits. */
  readonly limits?: Partial<Omit<AgentStateLimits, "jq">> & { readonly jq?: Partial<JqLimits> };
}

/**
 * The function of a state's tool. Its arguments match the tool's `parameters`. Its result must match the tool's
 * `output`: text, or data that the model gets as JSON. If the function throws, the model gets an error. Your function
 * can declare its own argument types. TypeScript accepts them unchecked, because it doesn't read the state's file.
 */
export type ToolFunction<Ctx> = {
  call(args: object, context: Readonly<Ctx>, info: ToolCallInfo): unknown;
}["call"];

/** A model: its model provider, and the name by which that provider calls the model. */
export interface RegisteredModel<Ctx> {
  /** The provider that calls the model. */
  readonly provider: ModelProvider<Ctx>;
  /** The name by which the provider calls the model. Default: the key in `models`. */
  readonly model?: string;
}

/** Settings of runs that a state itself doesn't have. */
export type StateRunConfig<Ctx> = Omit<RunSettings<Ctx>, "modelProvider" | "modelOverride" | "validate"> &
  Pick<RunConfig<Ctx>, "remembers" | "cache">;

/** Limits of a state's text and of its expressions. */
export interface AgentStateLimits {
  /** Maximum length of the state's text in characters, at least 1. Default 262,144. */
  readonly textLength: number;
  /** Limits of one jq evaluation. */
  readonly jq: JqLimits;
}

/** Limits of one jq evaluation. */
export interface JqLimits {
  /** Time limit of the evaluation in milliseconds, at least 1. Default 1,000. */
  readonly timeMs: number;
  /** Maximum memory of jq in bytes, at least 33,554,432 (32 MiB). Default 67,108,864 (64 MiB). */
  readonly memoryBytes: number;
  /** Maximum length of the evaluation's results, as JSON in characters, at least 1. Default 1,000,000. */
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
      modelProvider: z.undefined("expected nothing: pass it in models").optional(),
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

/** Validates the options and returns the limits. Throws a `TypeError` that names the invalid option. */
export function checkOptions<Ctx>(options: LoadAgentStateOptions<Ctx>): AgentStateLimits {
  checkRelease(globalThis.JAF_RELEASE);
  parseOptions<unknown>(optionsSchema, options, "options of loadAgentState");
  const { textLength = 262_144, jq = {} } = options.limits ?? {};
  return { textLength, jq: { ...DEFAULT_JQ_LIMITS, ...jq } };
}
