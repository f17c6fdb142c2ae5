import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { JqLimits } from "../options.ts";

/** One evaluation: an expression, its input, and its variables by their names without `$`. */
export interface JqRequest {
  readonly expression: string;
  readonly input: unknown;
  readonly variables?: Readonly<Record<string, unknown>>;
}

type JqResult =
  | { readonly ok: true; readonly values: readonly unknown[] }
  /** `detail`: jq's own words, which may quote the input. */
  | { readonly ok: false; readonly reason: "failed"; readonly detail: string }
  | { readonly ok: false; readonly reason: "time" | "memory" | "output" | "worker" };

type WorkerAnswer =
  | { readonly ended: "ok"; readonly output: string }
  | { readonly ended: "failed"; readonly detail: string }
  | { readonly ended: "time" | "memory" | "output" | "worker" };

/**
 * Evaluates jq in a worker, one request after the other. A worker that exceeds a limit or breaks is ended, and the next request
 * starts another. It keeps the process alive only while a request is under way.
 */
export interface JqEvaluator {
  /** Never rejects. */
  readonly evaluate: (request: JqRequest) => Promise<JqResult>;
  /** Whether the expression compiles: `{ ok: true, values: [] }`. `variables`: the names that it may use. */
  readonly compile: (expression: string, variables: readonly string[]) => Promise<JqResult>;
}

/** The `threadId` of a worker that has ended. */
const DEAD = -1;
/** After these, jq is still at work, or its memory is in an unknown state. */
const BREAKING: ReadonlySet<WorkerAnswer["ended"]> = new Set(["time", "memory", "worker"]);
/** A worker is replaced after so many requests, since each takes some of jq's stack and never gives it back. */
const MAX_REQUESTS = 50;
/** How long a worker without a request is kept, since starting one takes longer than most evaluations. */
const IDLE_MS = 10_000;
/** A worker starts in about a tenth of a second; on a busy machine it may take many times as long. */
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
      // The variables come with the input: what stands in jq's arguments has to fit into its stack.
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

/** On lines of its own, so that a comment at its end ends there. */
const parenthesized = (expression: string): string => `(${expression}\n)`;

function toResult(answer: WorkerAnswer): JqResult {
  if (answer.ended === "failed") return { ok: false, reason: "failed", detail: answer.detail };
  if (answer.ended !== "ok") return { ok: false, reason: answer.ended };
  const lines = answer.output.split("\n").filter((line) => line !== "");
  return { ok: true, values: lines.map((line): unknown => JSON.parse(line)) };
}

const require = createRequire(import.meta.url);

/** Resolves once the worker runs, so that its start doesn't count as an evaluation; with `undefined` if it can't. */
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
  // One that runs out of memory while it is ended reports that as well, and without a listener the process would end.
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
 * The worker's program, as text: it is started from sources and from each build alike. `jq-wasm` is jq itself, compiled to
 * WebAssembly, so an expression sees JSON and nothing of this process: no prototypes, files, environment or network. The heap's
 * limit of a worker doesn't count the memory of WebAssembly, so that is limited where it grows.
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
