import type { ApprovalDecision, ContinuationValidator, Message, TokenContinuation } from "@jaf/memory";
import type { Agent, ResolvedAgent } from "./agent.ts";
import type { RunBudget } from "./cost/budget.ts";
import type { ModelPrices } from "./cost/price.ts";
import type { TraceEvent } from "./events/trace-event.ts";
import type { Guardrail } from "./guardrails/guardrail.ts";
import type { ClientToolResult } from "./interruption/interruption.ts";
import type { MemoryConfig } from "./memory/config.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { RemembersDeclaration, RunUserMemory } from "./middleware/user-memory/remembers.ts";
import type { CacheableConfig } from "./model/cache.ts";
import type { ModelCompletion, ModelStreamChunk } from "./model/completion.ts";
import type { ModelRetryPolicy } from "./model/retry.ts";
import type { RunState } from "./state.ts";

/**
 * The port to a model. It sends `agent.instructions(state)` and `state.messages`. Those are `RichMessage`s: they may hold parts,
 * and whatever else a reply held; what is opaque of a reply goes back to its `origin` alone. It throws what its client
 * throws: the engine decides what is tried again (see {@link ModelRetryPolicy}), so turn the client's own retries off. Pass
 * `config.signal` on, so that an abort, or that the time is up, reaches the network: it is always there, and of this call alone.
 */
export type ModelProvider<Ctx> = {
  readonly getCompletion: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => Promise<ModelCompletion>;
  /** The same reply in pieces. `runStream` uses it where it is there; `run` never does. */
  readonly getCompletionStream?: (
    state: Readonly<RunState<Ctx>>,
    agent: ResolvedAgent<Ctx>,
    config: RunConfig<Ctx>,
  ) => AsyncIterable<ModelStreamChunk>;
};

/** A model to ask in place of another, in the agent's settings but for the name. */
export interface FallbackModel<Ctx> {
  readonly model: string;
  /** Default: `RunConfig.modelProvider`. */
  readonly modelProvider?: ModelProvider<Ctx>;
}

/** See `RunConfig.modelFallback`. */
export interface ModelFallback<Ctx> {
  /** In the order in which they are asked. A name alone is one of `RunConfig.modelProvider`. */
  readonly models: readonly (string | FallbackModel<Ctx>)[];
  /**
   * HTTP statuses at which the next one is asked, beside failures that may pass, e.g. `[402, 404, 429]`. Default `[402, 429]`:
   * an account without credit, which waiting doesn't help.
   */
  readonly statuses?: readonly number[];
}

/** Everything a run needs beside its state. */
export type RunConfig<Ctx> = {
  /** By the keys that states, handoffs, events and the store know the agents by. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; each agent has its own output
  readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
  readonly modelProvider: ModelProvider<Ctx>;
  /** The run ends with `MaxTurnsExceeded` where the state has this many turns and no final reply. Default 50. */
  readonly maxTurns?: number;
  /** Outranks every agent's `modelConfig.name`. */
  readonly modelOverride?: string;
  /**
   * Judge the text of the new user messages, and of the text files in them (media of a type `text/…`, and JSON), in order,
   * before anything is stored or sent to the model. Without `memory.autoStore` nobody knows which are new: the last user
   * messages in a row are judged, whatever follows them.
   * What is stored already isn't judged again, also when the application stored it itself and has a run resume there.
   */
  readonly initialInputGuardrails?: readonly Guardrail<string, Ctx>[];
  /** Judge the decoded output, in order, before the final reply is stored. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification; agents differ in their output
  readonly finalOutputGuardrails?: readonly Guardrail<any, Ctx>[];
  /**
   * What becomes of a streamed text where `finalOutputGuardrails` have yet to judge the reply: `"hold"` (default), it is told
   * once they have let it pass, and never if they don't; `"retract"`, it is told at once, and an `llm_retract` event takes it
   * back if they block. Text beside tool calls isn't judged; held back, it comes when the reply is complete.
   */
  readonly unjudgedText?: "hold" | "retract";
  /** Observes the run. It can't break it: what it throws is reported as a process warning, and the run goes on. */
  readonly onEvent?: (event: TraceEvent) => void;
  /** Takes part in the run: this first, then that of the agent that it begins with, then what `remembers` asks for. */
  readonly middleware?: readonly Middleware<Ctx>[];
  /** Outranks the agent's `remembers`. `false`: nothing is recalled and nothing is remembered. */
  readonly remembers?: RemembersDeclaration<Ctx> | false;
  /** What keeps the facts. Default: what `setUserMemory` said. Without either, `remembers` does nothing. */
  readonly userMemory?: RunUserMemory;
  readonly memory?: MemoryConfig;
  /** The stored conversation; required by `memory.autoStore`. */
  readonly conversationId?: string;
  /**
   * What somebody decided about the calls that an interrupted run waits for; see `approve` and `reject`. A decision that
   * fits no waiting call, comes too late or is the second ends the run with `ContinuationRejected`, and nothing is run.
   */
  readonly approvals?: readonly ApprovalDecision[];
  /** The results of the calls that the client was to make. One that fits none of them ends the run likewise. */
  readonly toolResults?: readonly ClientToolResult[];
  /** For how long an approval can be given once a run was interrupted, in milliseconds, by the store's clock. Default: for ever. */
  readonly approvalTtlMs?: number;
  /**
   * The whole conversation as a client sent it back: the stored history, results for the calls that wait for the client,
   * and what its user has said since; or a token in place of the history, `{ historyToken, messages }`. `validate` compares
   * it with what is stored; then the stored messages and the client's additions are used, and nothing else of it. Needs
   * `memory.autoStore`.
   */
  readonly continuation?: readonly Message[] | TokenContinuation;
  /**
   * Judges `continuation` and `approvals` before anything of them is used; what it throws ends the run with
   * `ContinuationRejected`. Default: `defaultContinuationValidator()`. Called only where there is a `continuation`.
   */
  readonly validate?: ContinuationValidator;
  /**
   * Aborts the run: it ends with `RunAborted` without waiting for the model or for running tools, and starts no
   * further tool. A write to memory that is under way is waited for, and isn't tried again should it fail. What is
   * durable stays, and tool results that became durable are in the final state.
   */
  readonly signal?: AbortSignal;
  /** Default: 3 attempts, see {@link ModelRetryPolicy}. */
  readonly modelRetry?: ModelRetryPolicy;
  /**
   * Which models are asked where the agent's fails for good: with an error that may pass, a reply that holds nothing usable,
   * or a status that is named here. `modelRetry` and the time limits hold for each anew. The one that replied is asked first
   * in the agent's further calls of the run, so that what it thought goes back to it. Default: no other.
   */
  readonly modelFallback?: ModelFallback<Ctx>;
  /**
   * How often the model is asked to correct a final reply that doesn't match the agent's `outputCodec`, before the run ends
   * with `DecodeError`; `0`: never. It gets the reply and what is wrong with it; neither is stored, nor becomes part of the
   * conversation. Default 1.
   */
  readonly outputRepairs?: number;
  /**
   * How long one attempt of a model call may take, in milliseconds, from 1; `Infinity`: as long as it likes. Then the signal
   * that the provider has is aborted, what comes later is ignored, and the attempt has failed for a reason that may pass: it
   * is tried again as `modelRetry` says, and the last one ends the run with a `ModelCallError` that has `timeoutMs`.
   * `Agent.modelConfig.timeoutMs` outranks it. Default 600,000.
   */
  readonly modelTimeoutMs?: number;
  /** How long a stream of the model may send nothing, from its beginning on; else as `modelTimeoutMs`. Default 300,000. */
  readonly modelIdleTimeoutMs?: number;
  /** `Tool.timeoutMs` of the tools that have none. Default 600,000. */
  readonly toolTimeoutMs?: number;
  /**
   * What happens when a tool throws. `"continue"` (default): the model gets an error result and can correct itself.
   * `"fail"`: the run ends with `ToolCallError` once the other calls of the same reply are answered.
   */
  readonly onToolError?: "continue" | "fail";
  /**
   * Takes secrets out of what a tool throws, before the model, the events, the outcome and the store get it; likewise of what
   * its schema, its `needsApproval` or a guardrail throws. `true` (default): as `maskSecrets` does. A function replaces it;
   * where it fails, nothing of the text is passed on. `false`: the text goes on as it is. What a tool returns is never changed.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
  /**
   * Which parts of the prompt the model provider may keep from call to call, in place of the agent's `cacheable`; `false`: none.
   * Whichever counts is passed on to the provider, as `config.cache`; one that doesn't know it ignores it.
   */
  readonly cache?: CacheableConfig | false;
  /** What tokens cost, so that results and events tell the cost of model calls. Default: nothing is told. */
  readonly prices?: ModelPrices;
  /**
   * How much the run, and its stored conversation, may use. It is looked at before each model call: once it is used up, the run
   * ends with `BudgetExceeded`. Summaries and what user memory asks are no calls of the run, and aren't counted. Default: no limit.
   */
  readonly budget?: RunBudget;
  /** How many tools of one reply run at the same time. Default: all of them. */
  readonly maxParallelTools?: number;
};
