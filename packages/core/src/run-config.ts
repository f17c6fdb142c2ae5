import type { ApprovalDecision, ContinuationValidator, Message } from "@jaf/memory";
import * as z from "zod";
import type { Agent, ResolvedAgent } from "./agent.ts";
import type { TraceEvent } from "./events.ts";
import type { Guardrail } from "./guardrails/guardrail.ts";
import type { ClientToolResult } from "./interruption.ts";
import { budgetSchema, type RunBudget } from "./limits/budget.ts";
import { type ModelPrices, pricesSchema } from "./limits/cost.ts";
import { isTimeLimit, type RunTimeouts, TIME_LIMIT } from "./limits/time-limit.ts";
import type { MemoryConfig } from "./memory-config.ts";
import { functionSchema, type Middleware } from "./middleware.ts";
import type { ModelCompletion, ModelStreamChunk } from "./model/completion.ts";
import { type CacheableConfig, cacheSchema } from "./model/model-config.ts";
import type { ModelRetryPolicy } from "./model/retry.ts";
import type { RunState } from "./state.ts";
import type { RemembersDeclaration, RunUserMemory } from "./user-memory.ts";

/**
 * The interface to a model. A provider sends `agent.instructions(state)` and `state.messages`. The messages are `RichMessage`s,
 * which can have parts and any further fields of a reply. Send opaque parts of a reply only to the endpoint in the reply's
 * `origin`. Throw the errors of the provider's client unchanged, and turn off the client's own retries, because the engine
 * retries (see {@link ModelRetryPolicy}). Pass on `config.signal`, so an abort or a timeout reaches the network. The signal is
 * always present and belongs to this call.
 */
export type ModelProvider<Ctx> = {
  /** Returns the reply. Rejects with the error of the provider's client. */
  readonly getCompletion: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => Promise<ModelCompletion>;
  /** Returns the reply in pieces. `runStream` uses it if present; `run` never does. */
  readonly getCompletionStream?: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => AsyncIterable<ModelStreamChunk>;
  /**
   * The model that the provider calls if neither the run nor the agent names one. Its price is that of the call. Absent: unknown.
   */
  readonly defaultModel?: string | undefined;
};

/** A model to call instead of the agent's. It gets the agent's settings, except for the name. */
export interface FallbackModel<Ctx> {
  /** The model's name. */
  readonly model: string;
  /** The provider to call. Default: `RunConfig.modelProvider`. */
  readonly modelProvider?: ModelProvider<Ctx>;
}

/** The models to call if the agent's model fails; see `RunConfig.modelFallback`. */
export interface ModelFallback<Ctx> {
  /** The models, in the order of the calls. A name alone is a model of `RunConfig.modelProvider`. */
  readonly models: readonly (string | FallbackModel<Ctx>)[];
  /**
   * The HTTP statuses after which the next model is called, in addition to transient failures, e.g. `[402, 404, 429]`. Default
   * `[402, 429]`: the account has no credit, so a retry doesn't help.
   */
  readonly statuses?: readonly number[];
}

/** The input that continues an earlier run, from a client or a user. You don't have to check it before. */
export interface Resume {
  /**
   * The conversation that a client sent back: the stored history, results for the calls that wait for the client, and new
   * messages of its user. With a `historyToken`, only the messages that the client adds. `RunConfig.validate` compares it with
   * the stored conversation. After that, the run uses the stored messages and the client's additions. Needs `memory.autoStore`.
   */
  readonly messages?: readonly Message[];
  /** A token from `RunResult.historyToken`, in place of the history. Needs `memory.autoStore`. */
  readonly historyToken?: string;
  /**
   * Decisions about the calls that an interrupted run waits for; see `approve` and `reject`. If a decision matches no waiting
   * call, has expired or is a duplicate, the run ends with `ContinuationRejected` and no call runs.
   */
  readonly approvals?: readonly ApprovalDecision[];
  /**
   * The results of the calls that the client has run. If a result matches none of them, the run ends with
   * `ContinuationRejected`.
   */
  readonly toolResults?: readonly ClientToolResult[];
}

/** The settings that several runs share. An agent client, a server and an agent state pass them to each of their runs. */
export interface RunSettings<Ctx> {
  /** The interface to the model, e.g. from `createOpenAIProvider`. */
  readonly modelProvider: ModelProvider<Ctx>;
  /**
   * The maximum number of steps (a model call and its tools). Without a final reply by then, the run ends with
   * `MaxTurnsExceeded`. Default 50.
   */
  readonly maxTurns?: number;
  /** The model's name. Takes precedence over every agent's `modelConfig.name`. */
  readonly modelOverride?: string;
  /**
   * Guardrails that check, in order, the text of the new user messages and of the text files in them (media of a type `text/…`,
   * and JSON), before anything is stored or sent to the model. Without `memory.autoStore` the engine doesn't know which
   * messages are new, so it checks the last consecutive user messages, whatever follows them. Stored messages aren't checked
   * again, even if the application stored them itself and a run resumes from there.
   */
  readonly initialInputGuardrails?: readonly Guardrail<string, Ctx>[];
  /** Guardrails that check, in order, the decoded output before the final reply is stored. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; agents differ in their output
  readonly finalOutputGuardrails?: readonly Guardrail<any, Ctx>[];
  /**
   * What happens to streamed text before the `finalOutputGuardrails` have checked the reply. `"hold"` (default): the text's
   * events are emitted after the reply has passed, and never if it is blocked. `"retract"`: they are emitted immediately, and
   * an `llm_retract` event follows if the reply is blocked. The text of a reply with tool calls isn't checked; with `"hold"`,
   * it is emitted when the reply is complete.
   */
  readonly unguardedText?: "hold" | "retract";
  /** Observes the run. If it throws, the error becomes a process warning, and the run continues. */
  readonly onEvent?: (event: TraceEvent) => void;
  /**
   * The run's middleware. It comes first, then the middleware of the agent that the run begins with, then that of `remembers`.
   */
  readonly middleware?: readonly Middleware<Ctx>[];
  /**
   * The store of the facts. Default: the user memory of the process, see `setRunUserMemory`. Without either, `remembers` has no
   * effect.
   */
  readonly userMemory?: RunUserMemory;
  /** How long approvals are accepted after an interruption, in milliseconds, by the store's clock. Default `Infinity`. */
  readonly approvalTtlMs?: number;
  /**
   * Validates `resume` before it is used. If it throws, the run ends with `ContinuationRejected`. Default:
   * `defaultContinuationValidator()`. Called only if `resume` has `messages` or a `historyToken`.
   */
  readonly validate?: ContinuationValidator;
  /** When model calls are retried. Default: 3 attempts; see {@link ModelRetryPolicy}. */
  readonly modelRetry?: ModelRetryPolicy;
  /**
   * The models to call if the agent's model has failed after all retries with a transient error, an unusable reply, or one of
   * the `statuses`. `modelRetry` and the time limits apply to each model. In the agent's further calls of the run, the model
   * that replied is called first, so it gets its own reasoning back. Default: none.
   */
  readonly modelFallback?: ModelFallback<Ctx>;
  /**
   * How many times the model is asked to correct a final reply that doesn't match the agent's `outputCodec`, before the run
   * ends with `DecodeError`; `0`: never. The model gets its reply and the list of faults. Neither becomes part of the
   * conversation. Default 1.
   */
  readonly outputRepairs?: number;
  /** Time limits for the model calls and tools of the run. */
  readonly timeouts?: RunTimeouts;
  /**
   * What happens when a tool throws. `"continue"` (default): the model gets an error result and can correct itself.
   * `"fail"`: the run ends with `ToolCallError` once the other calls of the same reply are answered.
   */
  readonly onToolError?: "continue" | "fail";
  /**
   * Masks secrets in errors that a tool, its schema, its `needsApproval` or a guardrail throws, before the model, the events,
   * the outcome and the store get them. `true` (default): with the function `maskSecrets`. You can pass another function; if it
   * throws, a note replaces the text. `false`: the text isn't changed. Tool results are never masked.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
  /** The prices of tokens, to report the cost of model calls in results and events. Default: no cost is reported. */
  readonly prices?: ModelPrices;
  /**
   * Limits for the tokens and cost of the run and its stored conversation. The run checks the budget before each model call,
   * and ends with `BudgetExceeded` if it is used up. Model calls for summaries and for user memory aren't counted. Default: no
   * limit.
   */
  readonly budget?: RunBudget;
  /** How many tool calls of one reply run at the same time. Default: all of them. */
  readonly maxParallelTools?: number;
}

/** Everything that a run needs in addition to its state. */
export type RunConfig<Ctx> = RunSettings<Ctx> & {
  /** The agents by their keys. States, handoffs, events and the store use these keys. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each agent has its own output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
  /** How the run loads and stores its conversation. Default: nothing is stored. */
  readonly memory?: MemoryConfig;
  /** The id of the stored conversation; required by `memory.autoStore`. */
  readonly conversationId?: string;
  /** Continues an interrupted run, or a conversation that a client sent back. */
  readonly resume?: Resume;
  /** The user memory settings of the run, in place of the agent's `remembers`. `false`: no facts are recalled or stored. */
  readonly remembers?: RemembersDeclaration<Ctx> | false;
  /**
   * The parts of the prompt that the model provider can cache between calls, in place of the agent's `cacheable`; `false`:
   * none. The provider gets this as `config.cache`. A provider without a prompt cache ignores it.
   */
  readonly cache?: CacheableConfig | false;
  /**
   * Aborts the run. It ends with `RunAborted` without waiting for the model or for running tools, and starts no further tool.
   * It waits for a running write to memory, but doesn't retry it. Stored messages stay stored, and stored tool results are in
   * the final state.
   */
  readonly signal?: AbortSignal;
};

const modelProviderSchema = z.custom<unknown>(
  (value) => typeof (value as { getCompletion?: unknown } | null | undefined)?.getCompletion === "function",
  { error: "expected a model provider with getCompletion()" },
);

const name = z.string().min(1);
const model = z.union([name, z.object({ model: name, modelProvider: modelProviderSchema.optional() })], {
  error: "expected a name, or { model, modelProvider }",
});

const fallbackSchema = z.strictObject(
  { models: z.array(model), statuses: z.array(z.int().min(100).max(599)).optional() },
  { error: "expected an object of models and statuses" },
);

const timeLimit = z.custom<unknown>(isTimeLimit, { error: `expected ${TIME_LIMIT}` });
/** Unlike `z.number()`, accepts `Infinity`, which means no limit. */
const numberFrom = (least: number) =>
  z.custom<unknown>((value) => typeof value === "number" && value >= least, {
    error: `expected a number from ${least}`,
  });

/** The checks of the settings that clients and runs share. */
export const settingsShape = {
  modelProvider: modelProviderSchema,
  modelOverride: z.string().optional(),
  modelRetry: z.looseObject({}).optional(),
  modelFallback: fallbackSchema.optional(),
  outputRepairs: z.int().min(0).optional(),
  maxTurns: numberFrom(1).optional(),
  prices: pricesSchema.optional(),
  budget: budgetSchema.optional(),
  initialInputGuardrails: z.array(functionSchema).optional(),
  finalOutputGuardrails: z.array(functionSchema).optional(),
  onToolError: z.enum(["continue", "fail"]).optional(),
  maxParallelTools: numberFrom(1).optional(),
  timeouts: z
    .strictObject(
      {
        modelMs: timeLimit.optional(),
        modelIdleMs: timeLimit.optional(),
        toolMs: timeLimit.optional(),
      },
      { error: "expected an object" },
    )
    .optional(),
  unguardedText: z.enum(["hold", "retract"], { error: 'expected "hold" or "retract"' }).optional(),
  maskSecrets: z
    .union([z.boolean(), functionSchema], { error: "expected true, false or a function" })
    .optional(),
  approvalTtlMs: numberFrom(0).optional(),
  // Checked together with the agent's middleware.
  middleware: z.unknown().optional(),
  userMemory: z.unknown().optional(),
  onEvent: functionSchema.optional(),
  validate: functionSchema.optional(),
} satisfies { readonly [Field in keyof RunSettings<never>]-?: z.ZodType };

/** Refuses `budget.maxCost` without prices. */
export const priced = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.refine(
    (settings) => {
      const { prices, budget } = settings as RunSettings<never>;
      return prices !== undefined || (budget?.run?.maxCost ?? budget?.conversation?.maxCost) === undefined;
    },
    { path: ["prices"], error: "expected prices, because budget.maxCost needs them" },
  );

const { maxTurns: _, maxParallelTools: __, ...runShape } = settingsShape;

/** The checks of a run's settings. Unlike a client, a run accepts any `maxTurns` and `maxParallelTools`. */
export const runSettingsSchema = priced(z.object({ ...runShape, cache: cacheSchema.optional() }));
