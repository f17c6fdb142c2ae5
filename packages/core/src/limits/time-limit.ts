import { onAbort, restart, type Timeout } from "@jaf/memory/internal";
import { MAX_TIMER_MS } from "./abort.ts";

/** How long the calls of a run may take, in milliseconds, from 1; `Infinity`: no limit. */
export interface RunTimeouts {
  /**
   * One attempt of a model call. When the time is over, the provider's signal is aborted and a later reply is ignored. This is a
   * transient failure, which is retried as `modelRetry` says; after the last attempt the run ends with a `ModelCallError` that
   * has `timeoutMs`. `Agent.modelConfig.timeoutMs` takes precedence. Default 600,000.
   */
  readonly modelMs?: number;
  /**
   * How long the model's stream may send nothing, before its first chunk and between two chunks. Otherwise like `modelMs`.
   * Default 300,000.
   */
  readonly modelIdleMs?: number;
  /** The default of `Tool.timeoutMs`. Default 600,000. */
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

/** What is wrong with the time limits of an agent and of its tools. */
export function agentLimitFault({ modelConfig, tools = [] }: AgentWithLimits): string | undefined {
  const isWrong = (value: unknown) => value !== undefined && !isTimeLimit(value);
  if (isWrong(modelConfig?.timeoutMs)) return `modelConfig.timeoutMs: expected ${TIME_LIMIT}`;
  const tool = tools.find(({ timeoutMs }) => isWrong(timeoutMs));
  return tool && `timeoutMs of its tool "${tool.schema.name}": expected ${TIME_LIMIT}`;
}

/** The limit of one attempt of a model call. */
export function modelLimit({ timeouts }: ConfigWithLimits, { modelConfig }: AgentWithLimits): Limit {
  return modelConfig?.timeoutMs === undefined
    ? { timeoutMs: timeouts?.modelMs ?? DEFAULT_MODEL_MS, option: "RunConfig.timeouts.modelMs" }
    : { timeoutMs: modelConfig.timeoutMs, option: "Agent.modelConfig.timeoutMs" };
}

/** The limit of the time until the next piece of a stream. */
export const modelIdleLimit = ({ timeouts }: ConfigWithLimits): Limit => ({
  timeoutMs: timeouts?.modelIdleMs ?? DEFAULT_MODEL_IDLE_MS,
  option: "RunConfig.timeouts.modelIdleMs",
});

/** The limit of one execution of a tool. */
export function toolLimit(
  { timeouts }: ConfigWithLimits,
  { timeoutMs }: Pick<ToolWithLimit, "timeoutMs">,
): Limit {
  return timeoutMs === undefined
    ? { timeoutMs: timeouts?.toolMs ?? DEFAULT_TOOL_MS, option: "RunConfig.timeouts.toolMs" }
    : { timeoutMs, option: "Tool.timeoutMs" };
}

/** What took too long. Its name and code are those that model providers' policies take for a timeout. */
export class TimeLimitError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";
  readonly timeoutMs: number;
  /** `option`: where the limit is set. */
  constructor(timeoutMs: number, option: string) {
    super(`No answer within ${timeoutMs} ms (${option})`);
    this.timeoutMs = timeoutMs;
  }
}

/** How long something may take. */
export interface Limit {
  /** From 1; `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Where it is set, e.g. `"RunConfig.timeouts.toolMs"`. */
  readonly option: string;
}

export interface TimeLimit {
  /** For what is limited: aborted once a time is up, or with the signal that was given. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as `signal` is aborted. */
  readonly race: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Settles as `work` does, or rejects when a time is up. After an abort it may take its time. */
  readonly inTime: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Also limits the time between two calls of what it returns, and until the first. */
  readonly between: (limit: Limit) => () => void;
  /** Stops the time until `resume`, e.g. while the work waits for something that has its own limit. */
  readonly pause: () => void;
  /** Starts the whole time again, unless it is closed. */
  readonly resume: () => void;
  /** Absent: no time was up. */
  readonly exceeded: () => TimeLimitError | undefined;
  /** This or `end` has to be called at the end. */
  readonly close: () => void;
  /** Closes it and aborts `signal`. */
  readonly end: () => void;
}

// One for all: its stack, which is what makes an error costly, would tell nothing.
const OVER = new Error("the call is over");

/** Begins to count. Each model call and each tool has one, so its signal is made when it is first read. */
export const openTimeLimit = (limit: Limit, signal: AbortSignal | undefined): TimeLimit =>
  new OpenTimeLimit(limit, signal);

/** A class, since closures would be made for each limit, and that would cost more than the rest of it. */
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
    // Before the signal: what gives up at that must not be taken for an answer in time.
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

  /** Keeps what rejects the promise, since a listener of `signal` for each promise would cost more than the rest of it. */
  #wait<T>(work: T | PromiseLike<T>, inTime: boolean, ended: Ended | undefined): Promise<T> {
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
  /** For the time alone: after an abort the work may take its time. */
  readonly inTime: boolean;
}
