import type { ApprovalDecision, ContinuationValidator, Message } from "@jaf/memory";
import * as z from "zod";
import type { Agent, ResolvedAgent } from "./agent.ts";
import type { TraceEvent } from "./events.ts";
import type { Guardrail } from "./guardrails/guardrail.ts";
import type { ChangedCall, ClientToolResult } from "./interruption.ts";
import type { RunLedger } from "./ledger/run-ledger.ts";
import { budgetSchema, limitsCost, needsLedger, type RunBudget } from "./limits/budget.ts";
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
 * The interface to a model. An implementation:
 *
 * - sends `agent.instructions(state)` and `state.messages`, which are `RichMessage`s: they can have content parts and
 *   any further fields of a reply;
 * - sends opaque parts of a reply (e.g. encrypted reasoning) only to the endpoint in that reply's `origin`;
 * - throws the errors of the underlying client (SDK) unchanged;
 * - turns off the retries of the underlying client, because the engine retries (see {@link ModelRetryPolicy});
 * - passes `config.signal` on to the underlying client, so an abort or a timeout reaches the network. `config.signal`
 *   is always present and belongs to this one call.
 */
export type ModelProvider<Ctx> = {
  /** Returns the reply. Rejects with the error of the underlying client (SDK). */
  readonly getCompletion: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => Promise<ModelCompletion>;
  /** Returns the reply in pieces. `runStream` calls this function if it is present; `run` never calls it. */
  readonly getCompletionStream?: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => AsyncIterable<ModelStreamChunk>;
  /**
   * The name of the model that is called if neither the run nor the agent names one. Events have this name, and the
   * price of the call is looked up under it in `RunConfig.prices`. Absent: this name is `"default"`, and the model
   * provider chooses the model.
   */
  readonly defaultModel?: string | undefined;
  /**
   * The name of the service, as in the `origin` of its replies, e.g. `"openai"`. Traces have this name, also of calls
   * that fail. Absent: the name is known from replies only.
   */
  readonly service?: string | undefined;
};

/** A model to call if the agent's own model fails. It gets the agent's model settings, except for the name. */
export interface FallbackModel<Ctx> {
  /** The model's name. */
  readonly model: string;
  /** The model provider to call. Default: `RunConfig.modelProvider`. */
  readonly modelProvider?: ModelProvider<Ctx>;
}

/** The models to call if the agent's model fails; see `RunConfig.modelFallback`. */
export interface ModelFallback<Ctx> {
  /**
   * The models, in the order in which they are called. An entry that is only a name is a model of `RunConfig.modelProvider`.
   */
  readonly models: readonly (string | FallbackModel<Ctx>)[];
  /**
   * The HTTP statuses after which the next model is called, e.g. `[402, 404, 429]`. Transient failures always lead to
   * the next model. Default `[402, 429]`: model services send these statuses if the account has no credit.
   */
  readonly statuses?: readonly number[];
}

/**
 * The input that continues an earlier run. It can come from a client or a user. You don't have to check it, because the
 * run does.
 */
export interface Resume {
  /**
   * The conversation that a client sent back: the stored history, results for the calls that wait for the client, and
   * new user messages. If `historyToken` is set, only the client's additions. `RunConfig.validate` compares the history
   * with the stored conversation, and the run uses the stored messages and the client's additions. Needs
   * `memory.autoStore`.
   */
  readonly messages?: readonly Message[];
  /** A token from `RunResult.historyToken`, which the client sends in place of the history. Needs `memory.autoStore`. */
  readonly historyToken?: string;
  /**
   * Decisions about the calls that an interrupted run waits for; see `approve` and `reject`. If a decision matches none
   * of these calls, comes too late or is a duplicate, the run ends with `ContinuationRejected` and no call runs.
   */
  readonly approvals?: readonly ApprovalDecision[];
  /**
   * The results of the tool calls that the client has run. If a result matches no call that waits for the client, the run
   * ends with `ContinuationRejected`.
   */
  readonly toolResults?: readonly ClientToolResult[];
}

/** What happens to a call that has changed while it waited for an approval; see `RunConfig.onToolChange`. */
export type ToolChangeAction = "ask" | "run" | "end";

/** The type of `RunConfig.onToolChange`. */
export type OnToolChange =
  | ToolChangeAction
  | ((call: ChangedCall) => ToolChangeAction | Promise<ToolChangeAction>);

/**
 * The settings that several runs share. Agent clients, servers and agent states (of `@jaf/xflow`) pass them to each of
 * their runs.
 */
export interface RunSettings<Ctx> {
  /** The interface to the model, e.g. from `createOpenAIProvider`. */
  readonly modelProvider: ModelProvider<Ctx>;
  /**
   * The maximum number of steps (a model call and its tools). Without a final reply by then, the run ends with
   * `MaxTurnsExceeded`. Default 50.
   */
  readonly maxTurns?: number;
  /** The model's name for all agents. It replaces `modelConfig.name` of every agent. */
  readonly modelOverride?: string;
  /**
   * Guardrails that check the user's input, in order, before anything is stored or sent to the model. They get the text
   * of the new user messages and of the text files in them (media of a type `text/…`, and JSON). Stored messages aren't
   * checked again.
   *
   * Without `memory.autoStore`, the engine doesn't know which messages are new. The guardrails then get the last
   * consecutive user messages, even if other messages follow.
   */
  readonly initialInputGuardrails?: readonly Guardrail<string, Ctx>[];
  /** Guardrails that check the decoded output, in order, before the final reply is stored. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; agents differ in their output
  readonly finalOutputGuardrails?: readonly Guardrail<any, Ctx>[];
  /**
   * What happens to the pieces of a streamed reply (text, reasoning, parts, tool calls) before the
   * `finalOutputGuardrails` have checked it.
   *
   * - `"hold"` (default): their events are emitted after the reply has passed, and never if the reply is blocked.
   * - `"retract"`: the events are emitted immediately, and an `llm_retract` event follows if the reply is blocked.
   *
   * A reply with tool calls isn't checked. With `"hold"`, its pieces are emitted when the reply is complete.
   */
  readonly unguardedText?: "hold" | "retract";
  /** Observes the run's events. If the function throws, the error becomes a process warning, and the run continues. */
  readonly onEvent?: (event: TraceEvent) => void;
  /**
   * The run's middleware. The order of the calls: this middleware, then the middleware of the agent that the run begins
   * with, then the user memory (see `RunConfig.remembers`).
   */
  readonly middleware?: readonly Middleware<Ctx>[];
  /**
   * The store of facts about users. Default: the user memory of the process; see `setRunUserMemory`. Without any user
   * memory, `remembers` has no effect.
   */
  readonly userMemory?: RunUserMemory;
  /**
   * How long after an interruption decisions about approvals are accepted, in milliseconds, by the store's clock.
   * Default `Infinity`.
   */
  readonly approvalTtlMs?: number;
  /**
   * What happens if the tool or the agent of a call has changed while the call waited for an approval: the tool's
   * description or parameters, the arguments that its schema parses, or the agent that has the conversation.
   *
   * - `"ask"` (default): the call is asked about again under a new approval id, and `ApprovalRequest.changed` shows the
   *   difference. A decision about the earlier request ends the run with `ContinuationRejected`, and nothing runs.
   * - `"run"`: the call runs with the arguments that were shown, once they are approved. If the agent is another one or
   *   the tool's schema doesn't accept these arguments unchanged, the call is asked about again.
   * - `"end"`: the run ends with `CallOutdated`. New messages of the user give the call up.
   * - a function: returns one of these. It can be called several times for one call.
   *
   * If the tool is gone, the run ends with `CallOutdated`. Needs `memory.autoStore`. Calls that an older release stored
   * are compared by their arguments only.
   */
  readonly onToolChange?: OnToolChange;
  /**
   * Validates the input in `resume` before it is used. If the function throws, the run ends with `ContinuationRejected`.
   * Default: `defaultContinuationValidator()`. Called only if `resume` has `messages` or a `historyToken`.
   */
  readonly validate?: ContinuationValidator;
  /** When model calls are retried. Default: 3 attempts; see {@link ModelRetryPolicy}. */
  readonly modelRetry?: ModelRetryPolicy;
  /**
   * The models to call if the agent's model has failed after all retries with a transient error, an unusable reply, or
   * one of the `statuses`. `modelRetry` and the time limits apply to each model. In later calls of the same run, the
   * agent first calls the model that replied last. Default: no other model is called.
   */
  readonly modelFallback?: ModelFallback<Ctx>;
  /**
   * How many times the model is asked to correct a final reply that doesn't match the agent's `outputCodec`. After that
   * the run ends with `DecodeError`. The model gets its reply and the list of faults, which don't become part of the
   * conversation. `0`: the model is never asked. Default 1.
   */
  readonly outputRepairs?: number;
  /** Time limits for the model calls and tools of the run. */
  readonly timeouts?: RunTimeouts;
  /**
   * What happens when a tool throws.
   *
   * - `"continue"` (default): the model gets an error result and can correct itself.
   * - `"fail"`: the run ends with `ToolCallError`, after the other calls of the same reply have been answered.
   */
  readonly onToolError?: "continue" | "fail";
  /**
   * Masks secrets in errors that a tool, its schema, its `needsApproval` or a guardrail throws. The model, the events,
   * the outcome and the store get only the masked text. Tool results are never masked.
   *
   * - `true` (default): the function `maskSecrets` masks the text.
   * - a function: this function masks the text. If it throws, a note replaces the text.
   * - `false`: the text isn't changed.
   *
   * The server masks each error of a failed turn or tool in the same way before it passes the error to `onError`.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
  /** The prices of tokens, for the cost of model calls in results and events. Default: no cost is reported. */
  readonly prices?: ModelPrices;
  /**
   * Limits for the tokens and the cost of the run, of its stored conversation, and of the user, the tenant and everyone
   * together. The run checks them before each model call and each further attempt. If the budget is used up, the run
   * ends with `BudgetExceeded`. Model calls for summaries and for user memory aren't counted. Default: no limit.
   */
  readonly budget?: RunBudget;
  /**
   * The ledger that counts what the model calls use and cost, by user, tenant, agent, model, tool and cause of cache
   * misses. The budgets `user`, `tenant` and `everyone` need it. If the ledger can't record a call, the run continues
   * and emits `ledger_failed`. Model calls for summaries and for user memory aren't counted. Default: no ledger.
   */
  readonly ledger?: RunLedger<Ctx>;
  /** How many tool calls of one reply run at the same time. Default: all of them. */
  readonly maxParallelTools?: number;
  /**
   * How deep agents can call each other as tools (see `asTool`): 1 allows the run's own agents to call others, 2 allows
   * these to call others, and so on. At the limit, the model gets an error result. Default 5.
   */
  readonly maxAgentDepth?: number;
  /**
   * How long a handoff lasts.
   *
   * - `"turn"` (default): the user's next message goes to the agent that the run's state names again.
   * - `"conversation"`: the next message goes to the agent that had the conversation last, if the registry has it. Needs
   *   `memory.autoStore`.
   */
  readonly handoffsLast?: "turn" | "conversation";
}

/** Everything that a run needs in addition to its state. */
export type RunConfig<Ctx> = RunSettings<Ctx> & {
  /** The agents by their registry keys. States, handoffs, events and the store name agents by these keys. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each agent has its own output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
  /**
   * How the run loads and stores its conversation, and the part of it that the model gets. Default: nothing is stored, and
   * the model gets the whole history. Set `memory.window` (e.g. `{ maxMessages: 50 }`) for conversations that can become
   * long.
   */
  readonly memory?: MemoryConfig;
  /** The id of the stored conversation; required by `memory.autoStore`. */
  readonly conversationId?: string;
  /** Continues an interrupted run, or a conversation that a client sent back. */
  readonly resume?: Resume;
  /** The user memory settings of the run. They replace the agent's `remembers`. `false`: no facts are recalled or stored. */
  readonly remembers?: RemembersDeclaration<Ctx> | false;
  /**
   * The parts of the prompt that the model provider can cache between calls, in place of the agent's `cacheable`.
   * `false`: nothing is cached. The model provider gets the value as `config.cache`, and ignores it if it has no prompt
   * cache.
   */
  readonly cache?: CacheableConfig | false;
  /**
   * Aborts the run. The run ends with `RunAborted` without waiting for the model or for running tools, and starts no
   * further tool. A write to the store that is under way is completed but not retried. Stored messages stay stored, and
   * stored tool results are in the final state.
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
/** Accepts numbers of at least `least`, including `Infinity` (no limit). */
const numberFrom = (least: number) =>
  z.custom<unknown>((value) => typeof value === "number" && value >= least, {
    error: `expected a number from ${least}`,
  });

/** The checks of the settings that agent clients and runs share. */
export const settingsShape = {
  modelProvider: modelProviderSchema,
  modelOverride: z.string().optional(),
  modelRetry: z.looseObject({}).optional(),
  modelFallback: fallbackSchema.optional(),
  outputRepairs: z.int().min(0).optional(),
  maxTurns: numberFrom(1).optional(),
  prices: pricesSchema.optional(),
  budget: budgetSchema.optional(),
  ledger: z
    .custom<unknown>(
      (value) => typeof (value as { open?: unknown } | null | undefined)?.open === "function",
      {
        error: "expected a ledger; make one with runLedger({ store })",
      },
    )
    .optional(),
  initialInputGuardrails: z.array(functionSchema).optional(),
  finalOutputGuardrails: z.array(functionSchema).optional(),
  onToolError: z.enum(["continue", "fail"]).optional(),
  maxParallelTools: numberFrom(1).optional(),
  maxAgentDepth: z.int().min(0).optional(),
  handoffsLast: z.enum(["turn", "conversation"], { error: 'expected "turn" or "conversation"' }).optional(),
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
  onToolChange: z
    .union([z.enum(["ask", "run", "end"]), functionSchema], {
      error: 'expected "ask", "run", "end" or a function',
    })
    .optional(),
  // Middleware is checked together with the agent's middleware.
  middleware: z.unknown().optional(),
  userMemory: z.unknown().optional(),
  onEvent: functionSchema.optional(),
  validate: functionSchema.optional(),
} satisfies { readonly [Field in keyof RunSettings<never>]-?: z.ZodType };

/** Adds checks to a schema: settings whose budget needs prices or a ledger are refused without them. */
export const priced = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const without = (isMissing: (settings: RunSettings<never>) => boolean) => (settings: unknown) =>
    !isMissing(settings as RunSettings<never>);
  return schema
    .refine(
      without(({ prices, budget }) => prices === undefined && limitsCost(budget)),
      { path: ["prices"], error: "expected prices, because budget.maxCost needs them" },
    )
    .refine(
      without(({ ledger, budget }) => ledger === undefined && needsLedger(budget)),
      {
        path: ["ledger"],
        error: "expected a ledger, because it counts the budgets user, tenant and everyone",
      },
    );
};

const { maxTurns: _, maxParallelTools: __, ...runShape } = settingsShape;

/** The checks of a run's settings. Any value of `maxTurns` and `maxParallelTools` is accepted. */
export const runSettingsSchema = priced(z.object({ ...runShape, cache: cacheSchema.optional() }));
