import { onAbort, restart, type Timeout } from "@jaf/memory/internal";
import { MAX_TIMER_MS } from "./abort.ts";

/** The time limits for model calls and tools of a run, in milliseconds, from 1. `Infinity`: no limit. */
export interface RunTimeouts {
  /**
   * The limit of one attempt of a model call. When the time is up, the signal that the model provider got is aborted,
   * and a later reply is ignored. The timeout is a transient failure, which `modelRetry` retries. After the last
   * attempt the run ends with a `ModelCallError` that has `timeoutMs`. If `Agent.modelConfig.timeoutMs` is set, it
   * replaces this limit. Default 600,000.
   */
  readonly modelMs?: number;
  /**
   * The longest pause in a streamed reply, before its first chunk and between two chunks. A timeout has the same effect
   * as one of `modelMs`. Default 300,000.
   */
  readonly modelIdleMs?: number;
  /** The limit of one execution of a tool. If `Tool.timeoutMs` is set, it replaces this limit. Default 600,000. */
  readonly toolMs?: number;
}

const DEFAULT_MODEL_MS = 600_000;
const DEFAULT_MODEL_IDLE_MS = 300_000;
const DEFAULT_TOOL_MS = 600_000;

export const TIME_LIMIT = "a whole number of milliseconds from 1, or Infinity";

export const isTimeLimit = (value: unknown): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 1);

interface ConfigWithLimits {
  readonly timeouts?: RunTimeouts;
}

interface ToolWithLimit {
  readonly timeoutMs?: number;
  readonly schema: { readonly name: string };
}

interface AgentWithLimits {
  readonly modelConfig?: { readonly timeoutMs?: number };
  readonly tools?: readonly ToolWithLimit[];
}

/** Returns what is wrong with the time limits of an agent and its tools; `undefined` if all are valid. */
export function agentLimitFault({ modelConfig, tools = [] }: AgentWithLimits): string | undefined {
  const isWrong = (value: unknown) => value !== undefined && !isTimeLimit(value);
  if (isWrong(modelConfig?.timeoutMs)) return `modelConfig.timeoutMs: expected ${TIME_LIMIT}`;
  const tool = tools.find(({ timeoutMs }) => isWrong(timeoutMs));
  return tool && `timeoutMs of its tool "${tool.schema.name}": expected ${TIME_LIMIT}`;
}

/** Returns the time limit of one attempt of a model call. */
export function modelLimit({ timeouts }: ConfigWithLimits, { modelConfig }: AgentWithLimits): Limit {
  return modelConfig?.timeoutMs === undefined
    ? { timeoutMs: timeouts?.modelMs ?? DEFAULT_MODEL_MS, option: "RunConfig.timeouts.modelMs" }
    : { timeoutMs: modelConfig.timeoutMs, option: "Agent.modelConfig.timeoutMs" };
}

/** Returns the limit of the time until the next chunk of a streamed reply. */
export const modelIdleLimit = ({ timeouts }: ConfigWithLimits): Limit => ({
  timeoutMs: timeouts?.modelIdleMs ?? DEFAULT_MODEL_IDLE_MS,
  option: "RunConfig.timeouts.modelIdleMs",
});

/** Returns the time limit of one execution of a tool. */
export function toolLimit(
  { timeouts }: ConfigWithLimits,
  { timeoutMs }: Pick<ToolWithLimit, "timeoutMs">,
): Limit {
  return timeoutMs === undefined
    ? { timeoutMs: timeouts?.toolMs ?? DEFAULT_TOOL_MS, option: "RunConfig.timeouts.toolMs" }
    : { timeoutMs, option: "Tool.timeoutMs" };
}

/** The error of a call that exceeded its time limit. */
// Retry policies for model calls recognise a timeout by the error's name and code.
export class TimeLimitError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";
  readonly timeoutMs: number;
  /** `option`: the option that sets the time limit. */
  constructor(timeoutMs: number, option: string) {
    super(`No answer within ${timeoutMs} ms (${option})`);
    this.timeoutMs = timeoutMs;
  }
}

/** A duration that work must not exceed, and the option that sets it. */
export interface Limit {
  /** The duration in milliseconds, from 1. `Infinity` means no limit. */
  readonly timeoutMs: number;
  /** The option that sets the duration, e.g. `"RunConfig.timeouts.toolMs"`. */
  readonly option: string;
}

export interface TimeLimit {
  /**
   * The signal for the limited work. It is aborted by `end`, when the time is up, and with the outer signal of
   * `openTimeLimit`.
   */
  readonly signal: AbortSignal;
  /** Settles like `work`, or rejects as soon as `signal` is aborted. */
  readonly race: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Settles like `work`, or rejects when the time is up. An abort of the outer signal alone doesn't reject. */
  readonly inTime: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Adds a limit for the time until the first call of the returned function, and between two of its calls. */
  readonly between: (limit: Limit) => () => void;
  /** Stops the clock until `resume` is called. */
  readonly pause: () => void;
  /** Restarts the clock with the full time, unless the time limit is closed. */
  readonly resume: () => void;
  /** Returns the timeout error if the time was up; otherwise `undefined`. */
  readonly exceeded: () => TimeLimitError | undefined;
  /** Stops the clock. Call `close` or `end` when the work is done. */
  readonly close: () => void;
  /** Stops the clock like `close`, and aborts `signal`. */
  readonly end: () => void;
}

// Shared, because creating an error's stack is slow, and the stack of this error is of no use.
const OVER = new Error("the call is over");

/** Starts a time limit. */
export const openTimeLimit = (limit: Limit, signal: AbortSignal | undefined): TimeLimit =>
  new OpenTimeLimit(limit, signal);

/** The implementation of {@link TimeLimit}. */
// A class, because creating closures for every time limit would be slow. `signal` is created on first use for the same
// reason.
class OpenTimeLimit implements TimeLimit {
  readonly #limit: Limit;
  #controller: AbortController | undefined;
  #ended: Ended | undefined;
  #error: TimeLimitError | undefined;
  #closed = false;
  #timer: Timeout | undefined;
  #between: Timeout | undefined;
  readonly #waiting: PendingWork[] = [];
  readonly #unfollow: (() => void) | undefined;

  constructor(limit: Limit, signal: AbortSignal | undefined) {
    this.#limit = limit;
    this.resume();
    this.#unfollow = signal && onAbort(signal, () => this.#end(signal.reason));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }

  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return this.#wait(work, false, this.#ended);
  }

  inTime<T>(work: T | PromiseLike<T>): Promise<T> {
    return this.#wait(work, true, this.#error && { reason: this.#error });
  }

  between(limit: Limit): () => void {
    const expire = () => this.#expire(limit);
    this.#between = this.#start(limit);
    return () => {
      if (this.#between !== undefined) this.#between = restart(this.#between, expire, delayOf(limit));
    };
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.pause();
    this.#timer = this.#start(this.#limit);
  }

  exceeded(): TimeLimitError | undefined {
    return this.#error;
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    this.#unfollow?.();
  }

  end(): void {
    this.close();
    this.#end(OVER);
  }

  #start(limit: Limit): Timeout | undefined {
    const isOver = this.#closed || this.#ended !== undefined;
    if (isOver || limit.timeoutMs === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(() => this.#expire(limit), delayOf(limit));
  }

  #expire({ timeoutMs, option }: Limit): void {
    const error = new TimeLimitError(timeoutMs, option);
    this.#error = error;
    // Rejected before the signal is aborted: work that fails because of the abort must not count as an answer in time.
    for (const { reject, inTime } of this.#waiting) if (inTime) reject(error);
    this.#end(error);
  }

  #end(reason: unknown): void {
    this.#stop();
    this.#ended ??= { reason };
    for (const { reject, inTime } of this.#waiting) if (!inTime) reject(reason);
    this.#controller?.abort(reason);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#between);
    this.#between = undefined;
  }

  /** Implements `race` and `inTime`. */
  #wait<T>(work: T | PromiseLike<T>, inTime: boolean, ended: Ended | undefined): Promise<T> {
    // A list of reject functions, because adding a listener to `signal` for every promise would be slow.
    return new Promise<T>((resolve, reject) => {
      if (ended !== undefined) reject(ended.reason);
      else this.#waiting.push({ reject, inTime });
      Promise.resolve(work).then(resolve, reject);
    });
  }
}

const delayOf = ({ timeoutMs }: Limit): number => Math.min(timeoutMs, MAX_TIMER_MS);

interface Ended {
  readonly reason: unknown;
}

interface PendingWork {
  readonly reject: (reason: unknown) => void;
  /** `true` for `inTime`: the promise rejects only when the time is up. */
  readonly inTime: boolean;
}
