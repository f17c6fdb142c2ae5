import type {
  ChatMemoryConfig,
  ChatMemoryOptions,
  Inbox,
  MemoryIssue,
  MemoryProvider,
  Message,
  RunId,
  Tokenizer,
  TraceId,
} from "@jaf/memory";
import type { WindowOptions } from "@jaf/memory/history";
import {
  estimateTokens,
  idIssue,
  isVersionedProvider,
  parseChatMemoryConfig,
  windowOptionsOf,
} from "@jaf/memory/internal";

/**
 * When a run stores its messages.
 *
 * - `"completed"`: in one write, when the run has completed or is interrupted. A failed run stores nothing.
 * - `"turn"`: the new messages before the model is called; all others when the run has completed or is interrupted.
 * - `"step"`: each message as early as possible. The new messages are stored before the model is called, a reply with
 *   tool calls before its tools run, and a tool result as soon as its tool is done. After a crash, the run can be
 *   resumed without running a finished tool again.
 *
 * In each mode, the result of a tool call that is already stored (because the run resumes) is stored as soon as its
 * tool is done.
 */
export type Durability = "completed" | "turn" | "step";

/** How a run loads and stores its conversation. */
export interface MemoryConfig {
  /** The store of the conversations. */
  readonly provider: MemoryProvider;
  /**
   * Whether the run loads the conversation first and stores new messages. Needs `RunConfig.conversationId`. Default
   * `false`.
   *
   * A write that fails with a transient error is tried up to three times. If the memory provider is wrapped in
   * `withRetry`, only `withRetry` retries.
   *
   * With a memory provider that supports it (see `docs/turns.md`):
   *
   * - If the conversation is erased during the run, the run stores nothing more. It ends with a `MemoryConflictError`
   *   of reason `"incarnation"`.
   * - A repeated run with the same run id and input returns the outcome of the earlier run.
   */
  readonly autoStore?: boolean;
  /**
   * The maximum number of messages that the store keeps. If an append exceeds it, the store drops the oldest messages.
   * Default: the limit of the memory provider. To limit what the model sees, use `window`.
   */
  readonly maxMessages?: number;
  /**
   * The time from the last write until the conversation expires, in seconds. Default: the time that the memory provider sets.
   */
  readonly ttl?: number;
  /**
   * The part of the history that the model gets; see `docs/context.md`. It changes neither the store nor `finalState`,
   * and works without `autoStore`. Default: the whole history, with a process warning if a model call sends more than 500
   * messages (and `compressionThreshold` isn't set).
   */
  readonly window?: RunWindow;
  /**
   * The maximum number of messages without a summary. If the history has more, the older messages are summarised, and
   * the model gets the summary in their place. About half of this number of messages stay unsummarised. The summary is
   * stored in the conversation's metadata, and the whole history stays stored. Needs `autoStore`. Default: nothing is
   * summarised.
   */
  readonly compressionThreshold?: number;
  /** How summaries are made. */
  readonly summary?: SummaryConfig;
  /**
   * A shorter way to set `durability`: `true` (default) means `"completed"`, `false` means `"step"`. Ignored if `durability`
   * is set.
   */
  readonly storeOnCompletion?: boolean;
  /** When the run stores its messages. Default: set by `storeOnCompletion`. */
  readonly durability?: Durability;
  /**
   * The id of the user that the run acts for, who becomes the owner of a new conversation. If the conversation belongs
   * to another user, the run ends with a `MemoryConflictError` of reason `"owner"`. Default: new conversations have no
   * owner, and owners aren't checked.
   */
  readonly userId?: string;
  /**
   * What happens if another run, in any process, is working on the same conversation. Messages of two turns never mix.
   *
   * - `"reject"` (default): this run ends with a `MemoryConflictError`. Its reason is `"lease"` if the other run's
   *   lease is found before the model is called. A run in durability `"completed"` takes its lease only when it stores
   *   its messages, so two such runs can both call the model. The later one then ends with reason `"version"`, or with
   *   `"incarnation"` if the other run has created the conversation.
   * - `"queue"`: this run waits for the lease, at most `queueTimeoutMs`, and continues from the other run's messages.
   *   Use the same durability for all runs of a conversation. Runs of several processes get the lease in no strict
   *   order. In durability `"completed"`, a new conversation is created without messages when its first run begins.
   */
  readonly concurrency?: "reject" | "queue";
  /**
   * How long a run waits for the lease before it ends with a `MemoryConflictError`, in milliseconds. Default 60,000.
   */
  readonly queueTimeoutMs?: number;
  /**
   * The duration of a lease, in milliseconds, by the store's clock. A run renews its lease three times in this time
   * (heartbeat). After a crash, the next run waits at most this long. Default 15,000, at most a day.
   *
   * If the memory provider reports no time (`ConversationReading.readAt`), the clocks of the processes should differ by
   * less than this duration. Otherwise a turn can fail with a conflict.
   */
  readonly leaseMs?: number;
  /**
   * The inbox from which the run takes what the user says while it is under way; see `AgentClient.send` and
   * `docs/turns.md`. Needs `autoStore`, and a memory provider with versions, as all of this project are. Default: the run
   * takes nothing.
   *
   * - Before each model call, the run appends the waiting entries to the conversation as user messages, in their order.
   *   In the same write it stores how far it has read, so a crash neither loses nor repeats an entry.
   * - Entries that come too late for the last model call are the input of the next run. A run without new input then
   *   begins a turn with them, also if the conversation ends with a reply.
   * - While tool calls wait for an approval or the client, the entries wait, too.
   * - The input guardrails check each entry alone. A blocked entry is dropped with the event `inbox_refused`, and the run
   *   continues.
   * - If the inbox can't be read, the run emits `inbox_failed` and continues, and the entries wait.
   */
  readonly inbox?: RunInbox;
}

/** An inbox as runs use it, made by `runInbox`. */
export interface RunInbox {
  /** Holds the entries. */
  readonly store: Inbox;
}

/** The key of what the engine needs to read an inbox. Copies of the inbox keep it. */
export const INBOX_ENGINE = Symbol.for("@jaf/core/run-inbox");

/** How summaries of older messages are made; see `MemoryConfig.summary`. */
export interface SummaryConfig {
  /**
   * Makes a summary from the previous summary and the messages since that summary. If the function throws, the
   * `context` event reports the error, and the run continues with the whole history. Default: the run's own model makes
   * the summary, with the agent's settings.
   */
  readonly summarize?: Summarize;
  /**
   * How long a run waits until the summary is made and stored, in milliseconds. After that the run continues without
   * the new summary. Default 30,000.
   */
  readonly timeoutMs?: number;
}

/** Returns a summary that covers the previous summary and the messages since that summary. */
export type Summarize = (input: SummarizeInput) => Promise<string>;

/** The input of {@link Summarize}. */
export interface SummarizeInput {
  /** The previous summary, which the new one replaces. Absent if the conversation has no summary yet. */
  readonly previous?: string;
  /** The messages since the previous summary, oldest first. Each tool call is followed by its results. */
  readonly messages: readonly Message[];
  /** Aborted when the run is aborted, and when `memory.summary.timeoutMs` is over. */
  readonly signal: AbortSignal;
}

/**
 * The part of the history that the model sees. One of three values:
 *
 * - a window's configuration, without its field `memoryId`
 * - a function that gets the whole history ({@link WindowFunction})
 * - an object with a function that gets only the last messages ({@link SelectingWindow})
 *
 * The function gets frozen messages. It can leave out messages and replace others. But it must return the last user
 * message and the newest message, or replacements for them. If the history ends with tool results, it must return all
 * these results with their calls. The function doesn't get the summary, which is sent before the returned messages.
 */
export type RunWindow = (ChatMemoryConfig & ChatMemoryOptions) | WindowFunction | SelectingWindow;

/** A window function that needs only the end of the conversation, so the run doesn't have to load the older messages. */
export interface SelectingWindow {
  /** The maximum number of messages that the function gets: the newest ones. */
  readonly maxMessages: number;
  /** Returns the messages to send to the model. */
  readonly select: WindowFunction;
}

/** Returns the messages to send to the model. The function gets frozen messages in a new list. */
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

/** Returns the values in a run's configuration that a store would refuse. */
export function memoryConfigIssues(memory: MemoryConfig, written: Written): readonly MemoryIssue[] {
  const { maxMessages, ttl, userId, durability, concurrency, queueTimeoutMs, leaseMs, inbox } = memory;
  return [
    wholeNumberIssue("RunConfig.memory.maxMessages", maxMessages),
    wholeNumberIssue("RunConfig.memory.ttl", ttl),
    wholeNumberIssue("RunConfig.memory.queueTimeoutMs", queueTimeoutMs),
    wholeNumberIssue("RunConfig.memory.leaseMs", leaseMs),
    ...contextIssues(memory),
    durabilityIssue(durability),
    concurrencyIssue(concurrency),
    inbox === undefined ? undefined : inboxIssue(inbox, memory.provider),
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

/** `provider`: `undefined` if it isn't known yet. */
function inboxIssue(inbox: unknown, provider: MemoryProvider | undefined): MemoryIssue | undefined {
  const path = "RunConfig.memory.inbox";
  const { store, [INBOX_ENGINE]: engine } = (inbox ?? {}) as { store?: unknown; [INBOX_ENGINE]?: unknown };
  const { put, read, remove } = (store ?? {}) as Readonly<Record<string, unknown>>;
  if (engine === undefined || ![put, read, remove].every((method) => typeof method === "function"))
    return { path, expected: "an inbox, e.g. runInbox(createInMemoryInbox())" };
  if (provider === undefined || isVersionedProvider(provider)) return undefined;
  return { path, expected: "a memory provider with versions, because two runs could take the same entries" };
}

function textIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (typeof value === "string" && !/[\0\p{Surrogate}]/u.test(value)) return undefined;
  return { path, expected: "a string without NUL characters and unpaired surrogates" };
}

/** Returns the invalid options among those that select what the model sees. */
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

/** Window fields that aren't allowed outside `window`. */
// Without `maxMessages`, because outside `window` it limits the store.
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

/** Returns what is invalid in a window's configuration. */
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

/** Returns the fields of the window, including inherited ones. */
const fieldsOf = (window: object): Readonly<Record<string, unknown>> => ({
  ...window,
  ...Object.fromEntries(
    FIELDS.filter((field) => field in window).map((field) => [field, Reflect.get(window, field)]),
  ),
});

export const isSelecting = (window: object): window is SelectingWindow => "select" in window;

/**
 * Returns a window's options; `undefined` for a window function without `maxMessages`. Throws a `TypeError` for an
 * invalid window.
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

/** Returns the window's tokenizer. Default: an estimate. */
export const tokenizerOf =
  (window: ChatMemoryOptions): Tokenizer =>
  (text) =>
    window.tokenizer === undefined ? estimateTokens(text) : window.tokenizer(text);
