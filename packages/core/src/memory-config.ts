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
 * In each mode, if a run resumes and a call is stored already, its result is stored as soon as its tool is done.
 */
export type Durability = "completed" | "turn" | "step";

/** How a run loads and stores its conversation. */
export interface MemoryConfig {
  /** The store of the conversations. */
  readonly provider: MemoryProvider;
  /**
   * Loads the conversation before the run and stores new messages. Needs `RunConfig.conversationId`. Default `false`. A write
   * that fails with a transient error is tried up to three times. If the provider is wrapped in `withRetry`, only `withRetry`
   * retries.
   *
   * If the conversation is erased during the run, the run stores nothing more and ends with a `MemoryConflictError` of reason
   * `"incarnation"`. If you repeat a run with the same id and input, it returns its earlier outcome. Both need a provider that
   * supports it; see `docs/turns.md`.
   */
  readonly autoStore?: boolean;
  /**
   * The maximum number of messages that the store keeps; each append drops older ones. Default: the provider's limit. To limit
   * what the model sees, use `window`.
   */
  readonly maxMessages?: number;
  /** Seconds after the last write until the conversation expires. Default: the provider's. */
  readonly ttl?: number;
  /**
   * The part of the history that the model gets. Works without `autoStore`, too. It changes neither the store nor `finalState`.
   * Default: the whole history. See `docs/context.md`.
   */
  readonly window?: RunWindow;
  /**
   * The maximum number of messages without summary. Above it, the older messages are summarised, and the model gets the summary
   * in their place; about half of this number stay. The summary is stored in the conversation's metadata, and the whole history
   * stays stored. Needs `autoStore`. Default: nothing is summarised.
   */
  readonly compressionThreshold?: number;
  /** How summaries are made. */
  readonly summary?: SummaryConfig;
  /** `true` (default) means durability `"completed"`, `false` means `"step"`. `durability` takes precedence. */
  readonly storeOnCompletion?: boolean;
  /** When the run stores its messages. Default: set by `storeOnCompletion`. */
  readonly durability?: Durability;
  /**
   * The id of the user that the run acts for. A new conversation is stored with this owner. If the conversation belongs to
   * another user, the run ends with a `MemoryConflictError` of reason `"owner"` before it uses the messages. Default: no owner,
   * no check.
   */
  readonly userId?: string;
  /**
   * What happens if another run, in any process, holds the conversation's lease. Turns never interleave in either mode.
   *
   * - `"reject"` (default): this run ends with a `MemoryConflictError`. Its reason is `"lease"` before the model is called. In
   *   durability `"completed"`, it is `"version"` if the other run stored its messages first, and `"incarnation"` if the other
   *   run created the conversation.
   * - `"queue"`: this run waits for the lease, at most `queueTimeoutMs`, and continues from the other run's messages. In
   *   durability `"completed"`, a new conversation is created without messages when its first run begins. Processes take turns,
   *   in no strict order. Use the same durability for all runs of a conversation.
   */
  readonly concurrency?: "reject" | "queue";
  /** How long a run waits for the lease, in milliseconds. After that it ends with the conflict. Default 60,000. */
  readonly queueTimeoutMs?: number;
  /**
   * The length of a lease, in milliseconds. After a crash, the next run waits at most this long. A run renews its lease three
   * times in this time (heartbeat). Default 15,000, at most a day. The lease is measured by the store's clock. If the provider
   * reports no time (`ConversationReading.readAt`), the clocks of the processes should differ by less than this time. Otherwise
   * a turn can fail with a conflict, but turns never interleave.
   */
  readonly leaseMs?: number;
}

/** How summaries of older messages are made; see `MemoryConfig.summary`. */
export interface SummaryConfig {
  /**
   * Makes a summary from the previous one, if any, and the messages since then. If it throws, the `context` event reports it,
   * and the run continues with the whole history. Default: the run's own model with the agent's settings.
   */
  readonly summarize?: Summarize;
  /**
   * How long a run waits until the summary is made and stored, in milliseconds. After that the run continues without it.
   * Default 30,000.
   */
  readonly timeoutMs?: number;
}

/** Returns a summary that covers the previous summary and the messages since then. */
export type Summarize = (input: SummarizeInput) => Promise<string>;

/** The input of {@link Summarize}. */
export interface SummarizeInput {
  /** The previous summary, which the new one replaces. Absent for the first. */
  readonly previous?: string;
  /** The messages since the previous summary, oldest first, each call with its results. */
  readonly messages: readonly Message[];
  /** Aborted with the run, and after `memory.summary.timeoutMs`. */
  readonly signal: AbortSignal;
}

/**
 * The part of the history that the model sees: a window's configuration (its `memoryId` isn't used here), or a function that
 * gets the whole history or its last messages.
 *
 * A function gets frozen messages. It can leave out messages and replace others, but it must return the last user message and
 * the newest message with all results of its calls, or replacements for them. The returned messages are checked, sanitized and
 * sent. The function doesn't get the summary, which is sent before its messages.
 */
export type RunWindow = (ChatMemoryConfig & ChatMemoryOptions) | WindowFunction | SelectingWindow;

/** A window function that needs only the end of the conversation. The run doesn't have to load the rest. */
export interface SelectingWindow {
  /** The number of messages in the sliding window that the function gets. */
  readonly maxMessages: number;
  /** Returns the messages to send. */
  readonly select: WindowFunction;
}

/** Returns the messages to send. It gets frozen messages in a new list. */
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
 * Returns the issues of a run's configuration that a store would refuse. Checked before the model is called, because a reply
 * that can't be stored is wasted money.
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

/** Returns the issues of the options that select what the model sees. They are checked without `autoStore`, too. */
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

/** Window fields that have no meaning outside `window`. `maxMessages` isn't one of them: there it limits the store. */
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

/** Returns the issues of a window's configuration. */
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

/** Returns the fields, including those on the prototype of a class. */
const fieldsOf = (window: object): Readonly<Record<string, unknown>> => ({
  ...window,
  ...Object.fromEntries(
    FIELDS.filter((field) => field in window).map((field) => [field, Reflect.get(window, field)]),
  ),
});

export const isSelecting = (window: object): window is SelectingWindow => "select" in window;

/**
 * Returns the options of a window; `undefined` for a function without `maxMessages`. Throws a `TypeError` if the window has
 * issues.
 */
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

/** Returns the window's tokenizer, called with the window as `this`, because it can be an instance of a class. */
export const tokenizerOf =
  (window: ChatMemoryOptions): Tokenizer =>
  (text) =>
    window.tokenizer === undefined ? estimateTokens(text) : window.tokenizer(text);
