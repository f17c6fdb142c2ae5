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
 * which may have parts and any further fields of a reply. Send opaque parts of a reply only to the endpoint that is the reply's
 * `origin`. Throw what the provider's client throws, and turn the client's own retries off, because the engine decides what is
 * retried (see {@link ModelRetryPolicy}). Pass `config.signal` on, so that an abort or a timeout reaches the network. The signal
 * is always present and belongs to this call.
 */
export type ModelProvider<Ctx> = {
  readonly getCompletion: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => Promise<ModelCompletion>;
  /** The same reply in pieces. `runStream` uses it if it is present; `run` never does. */
  readonly getCompletionStream?: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => AsyncIterable<ModelStreamChunk>;
};

/** A model to call instead of the agent's, with the agent's settings except for the name. */
export interface FallbackModel<Ctx> {
  readonly model: string;
  /** Default: `RunConfig.modelProvider`. */
  readonly modelProvider?: ModelProvider<Ctx>;
}

/** See `RunConfig.modelFallback`. */
export interface ModelFallback<Ctx> {
  /** In the order in which they are called. A name alone is a model of `RunConfig.modelProvider`. */
  readonly models: readonly (string | FallbackModel<Ctx>)[];
  /**
   * The HTTP statuses after which the next model is called, in addition to transient failures, e.g. `[402, 404, 429]`. Default
   * `[402, 429]`: an account without credit, where retrying doesn't help.
   */
  readonly statuses?: readonly number[];
}

/** What a client or a person says to an earlier run. None of it need be checked before. */
export interface Resume {
  /**
   * The whole conversation as a client sent it back: the stored history, results for the calls that wait for the client, and
   * newer messages of its user; with a `historyToken`, only what the client adds. `RunConfig.validate` compares it with the stored
   * conversation. After that, the run uses the stored messages and what the client added. Needs `memory.autoStore`.
   */
  readonly messages?: readonly Message[];
  /** A token from `RunResult.historyToken`, in place of the history. Needs `memory.autoStore`. */
  readonly historyToken?: string;
  /**
   * Decisions about the calls that an interrupted run waits for; see `approve` and `reject`. A decision that fits no waiting call,
   * has expired or is a duplicate ends the run with `ContinuationRejected`, and no call is run.
   */
  readonly approvals?: readonly ApprovalDecision[];
  /** The results of the calls that the client has run. A result that fits none of them ends the run with `ContinuationRejected`, too. */
  readonly toolResults?: readonly ClientToolResult[];
}

/** What holds for many runs: a client passes it on to each of its runs, and so do a server and an agent state. */
export type RunSettings<Ctx> = {
  readonly modelProvider: ModelProvider<Ctx>;
  /** The run ends with `MaxTurnsExceeded` if it has no final reply after this many steps (a model call and its tools). Default 50. */
  readonly maxTurns?: number;
  /** The model's name. Takes precedence over every agent's `modelConfig.name`. */
  readonly modelOverride?: string;
  /**
   * The guardrails check, in order, the text of the new user messages and of the text files in them (media of a type `text/…`, and
   * JSON), before anything is stored or sent to the model. Without `memory.autoStore` it is unknown which messages are new, so the
   * last consecutive user messages are checked, whatever follows them. Stored messages aren't checked again, not even if the
   * application stored them itself and a run resumes from there.
   */
  readonly initialInputGuardrails?: readonly Guardrail<string, Ctx>[];
  /** The guardrails check, in order, the decoded output, before the final reply is stored. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; agents differ in their output
  readonly finalOutputGuardrails?: readonly Guardrail<any, Ctx>[];
  /**
   * What happens to streamed text before the `finalOutputGuardrails` have checked the reply. `"hold"` (default): the text's events
   * are emitted once the reply has passed, and never if it is blocked. `"retract"`: they are emitted at once, and an `llm_retract`
   * event follows if the reply is blocked. The text of a reply with tool calls isn't checked; with `"hold"`, it is emitted when the
   * reply is complete.
   */
  readonly unguardedText?: "hold" | "retract";
  /** Observes the run. If it throws, that is reported as a process warning, and the run goes on. */
  readonly onEvent?: (event: TraceEvent) => void;
  /** The run's middleware. It comes first, then that of the agent that the run begins with, then that of `remembers`. */
  readonly middleware?: readonly Middleware<Ctx>[];
  /** Where the facts are stored. Default: the user memory of the process, see `setRunUserMemory`. Without either, `remembers` has no effect. */
  readonly userMemory?: RunUserMemory;
  /** How long after an interruption an approval can be given, in milliseconds, by the store's clock. Default: `Infinity`. */
  readonly approvalTtlMs?: number;
  /**
   * Validates `resume` before it is used. If it throws, the run ends with `ContinuationRejected`. Default:
   * `defaultContinuationValidator()`. Called only if `resume` has `messages` or a `historyToken`.
   */
  readonly validate?: ContinuationValidator;
  /** Default: 3 attempts, see {@link ModelRetryPolicy}. */
  readonly modelRetry?: ModelRetryPolicy;
  /**
   * Which models are called if the agent's model has failed after all retries, because of a transient error, an unusable reply, or
   * one of the `statuses`. `modelRetry` and the time limits apply to each model. The model that has replied is called first in
   * the agent's further calls of the run, so that it gets its own reasoning back. Default: none.
   */
  readonly modelFallback?: ModelFallback<Ctx>;
  /**
   * How many times the model is asked to correct a final reply that doesn't match the agent's `outputCodec`, before the run ends
   * with `DecodeError`; `0`: never. The model gets its reply and the list of faults, neither of which becomes part of the
   * conversation.
   * Default 1.
   */
  readonly outputRepairs?: number;
  /** How long the calls of the run may take. */
  readonly timeouts?: RunTimeouts;
  /**
   * What happens when a tool throws. `"continue"` (default): the model gets an error result and can correct itself.
   * `"fail"`: the run ends with `ToolCallError` once the other calls of the same reply are answered.
   */
  readonly onToolError?: "continue" | "fail";
  /**
   * Masks secrets in what a tool, its schema, its `needsApproval` or a guardrail throws, before the model, the events, the outcome
   * and the store get it. `true` (default): by the function `maskSecrets`. Another function may replace it; if that throws, a
   * note replaces the text.
   * `false`: the text is passed on unchanged. What a tool returns is never changed.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
  /** The prices of tokens, so that results and events have the cost of model calls. Default: they have none. */
  readonly prices?: ModelPrices;
  /**
   * How much the run and its stored conversation may use. Before each model call the run checks whether the budget is used up; if
   * so, it ends with `BudgetExceeded`. Model calls for summaries and for user memory aren't included. Default: no limit.
   */
  readonly budget?: RunBudget;
  /** How many tool calls of one reply run at the same time. Default: all of them. */
  readonly maxParallelTools?: number;
};

/** All that a run needs in addition to its state. */
export type RunConfig<Ctx> = RunSettings<Ctx> & {
  /** The agents by their keys, which states, handoffs, events and the store use. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each agent has its own output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
  readonly memory?: MemoryConfig;
  /** The id of the stored conversation; required by `memory.autoStore`. */
  readonly conversationId?: string;
  /** Takes up an interrupted run, or a conversation that a client sent back. */
  readonly resume?: Resume;
  /** Which user's facts the run recalls, and whether it stores new ones, instead of the agent's `remembers`; `false`: neither. */
  readonly remembers?: RemembersDeclaration<Ctx> | false;
  /**
   * Which parts of the prompt the model provider may cache from call to call, instead of the agent's `cacheable`; `false`: none. The
   * provider gets this as `config.cache`. A provider without a prompt cache ignores it.
   */
  readonly cache?: CacheableConfig | false;
  /**
   * Aborts the run: it ends with `RunAborted` without waiting for the model or for running tools, and starts no further tool. A
   * write to memory that is under way is waited for, and isn't retried if it fails. What is stored stays stored, and tool
   * results that were stored are in the final state.
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
/** Unlike `z.number()` it takes `Infinity`, which means no limit. */
const numberFrom = (least: number) =>
  z.custom<unknown>((value) => typeof value === "number" && value >= least, {
    error: `expected a number from ${least}`,
  });

/** The checks of what clients and runs share. */
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
  // Checked with the agent's.
  middleware: z.unknown().optional(),
  userMemory: z.unknown().optional(),
  onEvent: functionSchema.optional(),
  validate: functionSchema.optional(),
} satisfies { readonly [Field in keyof RunSettings<never>]-?: z.ZodType };

/** Refuses a limit of costs that nothing is known of. */
export const priced = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.refine(
    (settings) => {
      const { prices, budget } = settings as RunSettings<never>;
      return prices !== undefined || (budget?.run?.maxCost ?? budget?.conversation?.maxCost) === undefined;
    },
    { path: ["prices"], error: "expected the prices that budget.maxCost counts by" },
  );

const { maxTurns: _, maxParallelTools: __, ...runShape } = settingsShape;

/** What a run refuses. Every number of steps and of tools at once means something to it. */
export const runSettingsSchema = priced(z.object({ ...runShape, cache: cacheSchema.optional() }));
