import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { JqLimits } from "../options.ts";

/** One evaluation of a jq expression. `variables` has values by variable name, without `$`. */
export interface JqRequest {
  readonly expression: string;
  readonly input: unknown;
  readonly variables?: Readonly<Record<string, unknown>>;
}

type JqResult =
  | { readonly ok: true; readonly values: readonly unknown[] }
  /** jq reported an error. `detail`: jq's message, which can quote the input. */
  | { readonly ok: false; readonly reason: "failed"; readonly detail: string }
  | { readonly ok: false; readonly reason: "time" | "memory" | "output" | "worker" };

type WorkerAnswer =
  | { readonly ended: "ok"; readonly output: string }
  | { readonly ended: "failed"; readonly detail: string }
  | { readonly ended: "time" | "memory" | "output" | "worker" };

/**
 * Evaluates jq expressions in a worker thread, one request at a time. If the worker exceeds a limit or crashes, it is
 * terminated, and the next request starts another worker. The worker keeps the process alive only during a request.
 */
export interface JqEvaluator {
  /** Evaluates an expression. Resolves with the reason if the evaluation fails. Never rejects. */
  readonly evaluate: (request: JqRequest) => Promise<JqResult>;
  /**
   * Checks whether an expression compiles. If it does, resolves with `{ ok: true, values: [] }`. `variables`: names of the
   * variables that the expression may use.
   */
  readonly compile: (expression: string, variables: readonly string[]) => Promise<JqResult>;
}

/** The value of `threadId` of a worker that was terminated. */
const DEAD = -1;
/** Results after which the worker can't be used again: jq is still running, or its memory is in an unknown state. */
const BREAKING: ReadonlySet<WorkerAnswer["ended"]> = new Set(["time", "memory", "worker"]);
/** Maximum number of requests per worker. Each request leaks a part of jq's stack. */
const MAX_REQUESTS = 50;
/** How long an idle worker is kept, in ms. To start a worker takes longer than most evaluations. */
const IDLE_MS = 10_000;
/** Time limit for the start of a worker, in ms. A start takes about 100 ms, but much longer on a busy machine. */
const START_MS = 30_000;

export function createJqEvaluator(limits: JqLimits): JqEvaluator {
  const library = require.resolve("jq-wasm");
  let worker: Promise<Worker | undefined> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let requests = 0;

  const end = async () => {
    const ended = worker;
    worker = undefined;
    requests = 0;
    await (await ended)?.terminate();
  };

  const ask = async (input: string, filter: string): Promise<WorkerAnswer> => {
    clearTimeout(idle);
    worker ??= startWorker(library, limits).catch(() => undefined);
    const started = await worker;
    if (started === undefined || started.threadId === DEAD) {
      await end();
      return started === undefined ? { ended: "worker" } : ask(input, filter);
    }
    started.ref();
    const answer = await answerOf(started, { input, filter }, limits.timeMs);
    started.unref();
    requests += 1;
    if (BREAKING.has(answer.ended) || requests >= MAX_REQUESTS) await end();
    else idle = setTimeout(end, IDLE_MS).unref();
    return answer;
  };

  const enqueue = (...request: Parameters<typeof ask>): Promise<WorkerAnswer> => {
    const answer = last.then(() => ask(...request));
    last = answer;
    return answer;
  };

  return {
    evaluate: async ({ expression, input, variables = {} }) => {
      // The variables are part of the input, since jq's arguments must fit into its stack.
      const bindings = Object.keys(variables).map((name) => `.variables.${name} as $${name} | `);
      const filter = `${bindings.join("")}.input | ${parenthesized(expression)}`;
      return toResult(await enqueue(JSON.stringify({ input, variables }), filter));
    },
    compile: async (expression, variables) => {
      const bindings = variables.map((name) => `null as $${name} | `);
      const filter = `${bindings.join("")}if false then ${parenthesized(expression)} else empty end`;
      return toResult(await enqueue("null", filter));
    },
  };
}

/** Puts an expression in brackets. The line break ends a comment at the end of the expression. */
const parenthesized = (expression: string): string => `(${expression}\n)`;

function toResult(answer: WorkerAnswer): JqResult {
  if (answer.ended === "failed") return { ok: false, reason: "failed", detail: answer.detail };
  if (answer.ended !== "ok") return { ok: false, reason: answer.ended };
  const lines = answer.output.split("\n").filter((line) => line !== "");
  return { ok: true, values: lines.map((line): unknown => JSON.parse(line)) };
}

const require = createRequire(import.meta.url);

/**
 * Starts a worker and waits until it runs, so that its start doesn't count as evaluation time. Resolves with `undefined` if
 * the worker can't start.
 */
async function startWorker(library: string, limits: JqLimits): Promise<Worker | undefined> {
  const started = new Worker(WORKER_SOURCE, {
    eval: true,
    env: {},
    argv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    workerData: {
      jq: library,
      maxMemoryBytes: limits.memoryBytes,
      maxOutputLength: limits.outputLength,
    },
  });
  // A worker can run out of memory while it is terminated. Without a listener, that error would end the process.
  started.on("error", () => {});
  const answer = await answerOf(started, { input: "null", filter: "empty" }, START_MS);
  if (answer.ended === "ok") return started;
  await started.terminate();
  return undefined;
}

function answerOf(worker: Worker, request: object, timeMs: number): Promise<WorkerAnswer> {
  return new Promise((resolve) => {
    const settle = (answer: WorkerAnswer) => {
      clearTimeout(timer);
      worker.off("message", settle).off("error", failed).off("exit", failed);
      resolve(answer);
    };
    const failed = (cause: unknown) => settle({ ended: isOutOfMemory(cause) ? "memory" : "worker" });
    const timer = setTimeout(() => settle({ ended: "time" }), timeMs);
    worker.on("message", settle).on("error", failed).on("exit", failed);
    worker.postMessage(request);
  });
}

const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";

/**
 * The worker's program, as text, so that the worker starts from sources and from any build. `jq-wasm` is jq compiled to
 * WebAssembly. So an expression can't access this process: no prototypes, files, environment or network. A worker's heap
 * limit doesn't include the memory of WebAssembly, so the program limits this memory itself.
 */
const WORKER_SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const PAGE = 65536;
const { grow } = WebAssembly.Memory.prototype;
let isFull = false;
WebAssembly.Memory.prototype.grow = function (pages) {
  isFull = this.buffer.byteLength + pages * PAGE > workerData.maxMemoryBytes;
  if (isFull) throw new RangeError("The memory limit is reached.");
  return grow.call(this, pages);
};
// jq-wasm takes each byte of its input from the front by slice(1), which copies all the rest; a view will do.
const { slice } = Uint8Array.prototype;
Uint8Array.prototype.slice = function (start, end) {
  return start === 1 && end === undefined ? this.subarray(1) : slice.call(this, start, end);
};
const jq = require(workerData.jq);
parentPort.on("message", async ({ input, filter }) => {
  try {
    const output = await jq.raw(input, filter, ["-c"]);
    parentPort.postMessage(output.length > workerData.maxOutputLength ? { ended: "output" } : { ended: "ok", output });
  } catch (thrown) {
    const detail = String(thrown instanceof Error ? thrown.message : thrown).slice(0, 1000);
    const isBroken = thrown instanceof WebAssembly.RuntimeError;
    // jq aborts where it gets no memory, also if it never came to ask for more.
    if (isFull || (isBroken && detail.startsWith("Aborted("))) parentPort.postMessage({ ended: "memory" });
    else parentPort.postMessage(isBroken ? { ended: "worker" } : { ended: "failed", detail });
  }
});
`;
