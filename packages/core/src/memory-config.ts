import type {
  ChatMemoryConfig,
  ChatMemoryOptions,
  MemoryIssue,
  MemoryProvider,
  Message,
  RunId,
  Tokenizer,
  TraceId,
} from "@jaf/memory";
import type { WindowOptions } from "@jaf/memory/history";
import { estimateTokens, idIssue, parseChatMemoryConfig, windowOptionsOf } from "@jaf/memory/internal";

/**
 * When a run stores its messages.
 *
 * - `"completed"`: in one write, once the run has completed or is interrupted. A failed run stores nothing.
 * - `"turn"`: the new messages before the model is called, the rest once the run has completed or is interrupted.
 * - `"step"`: the new messages, each reply with tool calls before its tools run, each result as soon as its tool is done, and
 *   the final reply. A run that crashed is resumed without running a finished tool again.
 *
 * In each mode, the result of a call that is stored already (the run resumes) is stored as soon as its tool is done.
 */
export type Durability = "completed" | "turn" | "step";

/** How a run uses its memory. */
export interface MemoryConfig {
  readonly provider: MemoryProvider;
  /**
   * Loads the conversation before the run and stores new messages; needs `RunConfig.conversationId`. Default `false`: nothing is
   * loaded or stored. A write that fails with a transient error is tried up to three times, or as often as a `withRetry` around
   * the provider says: then the engine makes no attempts of its own.
   *
   * If the conversation is erased during the run, the run stores nothing more and ends with a `MemoryConflictError` of reason
   * `"incarnation"`. The same run again, with the same id and input, returns the outcome that it had. Both need a provider that
   * supports it, see `docs/turns.md`.
   */
  readonly autoStore?: boolean;
  /**
   * How many messages the store keeps of the conversation; with each append, older ones are dropped. Default: the provider's
   * limit. What the model sees is set by `window`.
   */
  readonly maxMessages?: number;
  /** Seconds after the last write until the conversation expires. Default: the provider's. */
  readonly ttl?: number;
  /**
   * Which part of the history the model gets; also without `autoStore`. It changes neither the store nor `finalState`. Default:
   * the whole history. See `docs/context.md`.
   */
  readonly window?: RunWindow;
  /**
   * Once more than this many messages aren't summarised, the older ones are summarised, and the model gets the running summary in
   * their place; about half as many messages stay. The summary is stored in the conversation's metadata, and the whole history
   * stays stored. Needs `autoStore`. Default: nothing is summarised.
   */
  readonly compressionThreshold?: number;
  /** How the summary is made. */
  readonly summary?: SummaryConfig;
  /** `true` (default) means durability `"completed"`, `false` means `"step"`. `durability` takes precedence. */
  readonly storeOnCompletion?: boolean;
  /** Default: what `storeOnCompletion` says. */
  readonly durability?: Durability;
  /**
   * The id of the user that the run acts for. A new conversation is stored as theirs, and one that belongs to another user is
   * refused with a `MemoryConflictError` of reason `"owner"` before it is used. Default: no owner, no check.
   */
  readonly userId?: string;
  /**
   * What happens when another run, in any process, holds the lease of the same conversation. Turns never interleave, either way.
   *
   * - `"reject"` (default): this run ends with a `MemoryConflictError`: of reason `"lease"` before the model is called, or,
   *   in durability `"completed"`, of reason `"version"` when it stores its messages, if the other run was faster; of reason
   *   `"incarnation"` if the other run has created the conversation.
   * - `"queue"`: this run waits for the lease, at most `queueTimeoutMs`, and continues from the other run's messages. In durability
   *   `"completed"` a new conversation is created without messages when its first run begins. Processes take turns, in no strict
   *   order. Runs of one conversation should have the same durability.
   */
  readonly concurrency?: "reject" | "queue";
  /** How long a run waits for the lease, in milliseconds; then it ends with the conflict. Default 60,000. */
  readonly queueTimeoutMs?: number;
  /**
   * The length of a lease, in milliseconds: after a crash, the next run waits this long at most. A run renews its lease by a
   * heartbeat three times in this time. Default 15,000, at most a day. It is measured by the store's clock, so the clocks of the
   * processes needn't agree. Only if a provider tells no time (`ConversationReading.readAt`) should they agree to within this
   * time: otherwise a turn may fail with a conflict, but turns never interleave.
   */
  readonly leaseMs?: number;
}

/** See `MemoryConfig.summary`. */
export interface SummaryConfig {
  /**
   * Makes the summary, of the previous one, if there is one, and the messages since. If it throws, the `context` event says so, and
   * the run goes on with the whole history. Default: the run's own model, with the agent's settings.
   */
  readonly summarize?: Summarize;
  /**
   * How long a run waits for the summary to be made and stored, in milliseconds; then it goes on without it. Default 30,000.
   */
  readonly timeoutMs?: number;
}

/** Makes a summary of the previous one and the messages since. */
export type Summarize = (input: SummarizeInput) => Promise<string>;

export interface SummarizeInput {
  /** The previous summary, which the new one replaces. Absent for the first. */
  readonly previous?: string;
  /** The messages since, the oldest first, each call with its results. */
  readonly messages: readonly Message[];
  /** Aborted with the run, and when `memory.summary.timeoutMs` is over. */
  readonly signal: AbortSignal;
}

/**
 * Which part of the history the model sees: the configuration of a window, whose `memoryId` isn't used here, or a function that
 * gets the whole history or the last messages of it.
 *
 * What a function returns is checked, sanitized and sent. It gets frozen messages; it may leave out messages and replace others,
 * but must return the newest message, with all results of its calls, and the last user message, or replacements of them. It
 * doesn't get the summary, which is sent before what it returns.
 */
export type RunWindow = (ChatMemoryConfig & ChatMemoryOptions) | WindowFunction | SelectingWindow;

/** A window function that needs only the end of the conversation, so that a run needn't read the rest. */
export interface SelectingWindow {
  /** The function gets a sliding window of this many messages. */
  readonly maxMessages: number;
  readonly select: WindowFunction;
}

/** Gets messages that can't be changed, in a list of its own. */
export type WindowFunction = (messages: readonly Message[]) => readonly Message[];

export const DEFAULT_QUEUE_TIMEOUT_MS = 60_000;

export const DEFAULT_LEASE_MS = 15_000;

export const durabilityOf = ({ durability, storeOnCompletion = true }: MemoryConfig): Durability =>
  durability ?? (storeOnCompletion ? "completed" : "step");

interface Written {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly currentAgentName: string;
}

/**
 * What a store would refuse of a run's configuration. Asked before the model is called: a reply that was paid for and
 * can't be stored helps nobody.
 */
export function memoryConfigIssues(memory: MemoryConfig, written: Written): readonly MemoryIssue[] {
  const { maxMessages, ttl, userId, durability, concurrency, queueTimeoutMs, leaseMs } = memory;
  return [
    wholeNumberIssue("RunConfig.memory.maxMessages", maxMessages),
    wholeNumberIssue("RunConfig.memory.ttl", ttl),
    wholeNumberIssue("RunConfig.memory.queueTimeoutMs", queueTimeoutMs),
    wholeNumberIssue("RunConfig.memory.leaseMs", leaseMs),
    ...contextIssues(memory),
    durabilityIssue(durability),
    concurrencyIssue(concurrency),
    userId === undefined ? undefined : idIssue("RunConfig.memory.userId", userId),
    idIssue("RunState.traceId", written.traceId),
    textIssue("RunState.runId", written.runId),
    textIssue("RunState.currentAgentName", written.currentAgentName),
  ].filter((issue) => issue !== undefined);
}

function durabilityIssue(value: unknown): MemoryIssue | undefined {
  if (value === undefined || value === "completed" || value === "turn" || value === "step") return undefined;
  return { path: "RunConfig.memory.durability", expected: '"completed", "turn" or "step"' };
}

function concurrencyIssue(value: unknown): MemoryIssue | undefined {
  if (value === undefined || value === "reject" || value === "queue") return undefined;
  return { path: "RunConfig.memory.concurrency", expected: '"reject" or "queue"' };
}

function textIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (typeof value === "string" && !/[\0\p{Surrogate}]/u.test(value)) return undefined;
  return { path, expected: "a string without NUL characters and unpaired surrogates" };
}

/** What is wrong with the options that decide what a model sees; they are checked without `autoStore`, too. */
export function contextIssues(memory: MemoryConfig | undefined): readonly MemoryIssue[] {
  if (typeof memory !== "object" || memory === null) return [];
  const { window, compressionThreshold, summary } = memory;
  return [
    ...misplacedFields(memory),
    ...windowIssues(window),
    wholeNumberIssue("RunConfig.memory.compressionThreshold", compressionThreshold),
    ...summaryIssues(summary),
  ].filter((issue) => issue !== undefined);
}

function summaryIssues(summary: SummaryConfig | undefined): readonly (MemoryIssue | undefined)[] {
  const path = "RunConfig.memory.summary";
  if (summary === undefined) return [];
  if (typeof summary !== "object" || summary === null) return [{ path, expected: "an object" }];
  const { summarize, timeoutMs } = summary;
  return [
    wholeNumberIssue(`${path}.timeoutMs`, timeoutMs),
    summarize === undefined || typeof summarize === "function"
      ? undefined
      : { path: `${path}.summarize`, expected: "a function" },
  ];
}

/** Fields of a window that mean nothing beside it. `maxMessages` isn't among them: that is how many the store keeps. */
const WINDOW_FIELDS = ["memoryId", "memoryType", "maxTokens", "trimTo", "tokenizer"];

const misplacedFields = (memory: object): readonly MemoryIssue[] =>
  WINDOW_FIELDS.filter((field) => (memory as Readonly<Record<string, unknown>>)[field] !== undefined).map(
    (field) => ({ path: `RunConfig.memory.${field}`, expected: "no such field: put it under memory.window" }),
  );

function wholeNumberIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return undefined;
  return { path, expected: "a whole number from 1" };
}

export const PATH = "RunConfig.memory.window";

/** What is wrong with a window's configuration. */
function windowIssues(window: unknown): readonly MemoryIssue[] {
  if (window === undefined || typeof window === "function") return [];
  if (typeof window !== "object" || window === null)
    return [{ path: PATH, expected: "a window's configuration, or a function" }];
  return issuesIn(window);
}

function issuesIn(window: object): readonly MemoryIssue[] {
  const { tokenizer, ...config } = fieldsOf(window);
  const issues: MemoryIssue[] = [];
  if ("select" in window) {
    const { select, maxMessages, ...others } = config;
    const [unknown] = Object.keys(others).filter((field) => others[field] !== undefined);
    if (typeof select !== "function") issues.push({ path: `${PATH}.select`, expected: "a function" });
    if (unknown !== undefined || tokenizer !== undefined)
      issues.push({ path: `${PATH}.${unknown ?? "tokenizer"}`, expected: "no such field beside select" });
    return [...issues, ...windowIssues({ maxMessages })];
  }
  const parsed = parseChatMemoryConfig(config);
  if (!parsed.success && parsed.error._tag === "MemoryValidationError") {
    for (const { path, expected } of parsed.error.issues)
      issues.push({ path: path.replace(/^memory/, PATH), expected });
  }
  if (tokenizer !== undefined && typeof tokenizer !== "function")
    issues.push({ path: `${PATH}.tokenizer`, expected: "a function from a text to its number of tokens" });
  return issues;
}

const FIELDS = ["memoryId", "memoryType", "maxMessages", "maxTokens", "trimTo", "tokenizer", "select"];

/** A class may have them on its prototype. */
const fieldsOf = (window: object): Readonly<Record<string, unknown>> => ({
  ...window,
  ...Object.fromEntries(
    FIELDS.filter((field) => field in window).map((field) => [field, Reflect.get(window, field)]),
  ),
});

export const isSelecting = (window: object): window is SelectingWindow => "select" in window;

/** The options of a valid window; `undefined` for a function without `maxMessages`. Throws a `TypeError` if it has issues. */
export function windowOptionsIn(window: RunWindow): WindowOptions | undefined {
  if (typeof window === "function") return undefined;
  if (isSelecting(window)) return { maxMessages: window.maxMessages };
  return windowOptions(window, tokenizerOf(window));
}

export const windowOptions = (window: object, tokenizer: Tokenizer): WindowOptions => {
  const { tokenizer: _, ...config } = fieldsOf(window);
  const options = windowOptionsOf(config as ChatMemoryConfig);
  return "maxTokens" in options ? { ...options, tokenizer } : options;
};

/** Called on the window, which may be an instance of a class. */
export const tokenizerOf =
  (window: ChatMemoryOptions): Tokenizer =>
  (text) =>
    window.tokenizer === undefined ? estimateTokens(text) : window.tokenizer(text);
