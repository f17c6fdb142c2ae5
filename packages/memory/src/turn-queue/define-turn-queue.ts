import * as z from "zod";
import { dateIssue, guardCalls, type Issue } from "../backend/guard-calls.ts";
import { parseOptions } from "../codec/checks.ts";
import type { MemoryErrorUnion } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { SubmitOptions, TurnPointer, TurnQueue, TurnWorker, TurnWorkerOptions } from "./turn-queue.ts";

const MOST_PRIORITY = 1_000;

/** The options of a submission, with defaults filled in. */
export interface Submission {
  /** `undefined`: at once. */
  readonly at: Date | undefined;
  /** A whole number from -1,000 to 1,000; higher ones first. */
  readonly priority: number;
  readonly group: string | undefined;
}

/**
 * The port of an existing queue, for {@link defineTurnQueue}. The methods are those of {@link TurnQueue}, with three
 * differences:
 *
 * - The arguments are already validated, and optional arguments are present.
 * - The methods return the data itself instead of a `Result`.
 * - The methods throw if they fail. `toMemoryError` converts what they threw into a tagged error.
 */
export interface TurnQueueBackend {
  /** The queue's name in errors (e.g. `"bullmq"`). */
  readonly name: string;
  readonly submit: (pointer: TurnPointer, submission: Submission) => Promise<void>;
  readonly cancel: (pointer: TurnPointer) => Promise<boolean>;
  readonly work: (options: TurnWorkerOptions) => TurnWorker;
  /** Closes the clients that the queue opened itself. The workers are already closed. */
  readonly close: () => Promise<void>;
  /** Converts an error that a method threw into a tagged error. `operation` is the name of the method. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

const pointerIssues = ({ conversationId, turnId }: TurnPointer): Issue[] => [
  idIssue("conversationId", conversationId),
  idIssue("turnId", turnId),
];

const priorityIssue = (priority: number): Issue =>
  Number.isSafeInteger(priority) && Math.abs(priority) <= MOST_PRIORITY
    ? undefined
    : { path: "priority", expected: `a whole number from -${MOST_PRIORITY} to ${MOST_PRIORITY}` };

const workSchema = z.object({
  concurrency: z.int().min(1),
  handle: z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" }),
  onError: z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" }),
});

/**
 * Makes a {@link TurnQueue} from a backend. The queue refuses invalid arguments, and calls after `close`. It converts
 * errors that the backend throws into tagged errors, and closes its workers before the backend.
 *
 * @example
 * ```ts
 * import { defineTurnQueue, type TurnQueueBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyQueueBackend(url: string): TurnQueueBackend;
 *
 * export const createMyQueue = (url: string) => defineTurnQueue(openMyQueueBackend(url));
 * ```
 */
export function defineTurnQueue(backend: TurnQueueBackend): TurnQueue {
  const workers = new Set<TurnWorker>();
  let isClosed = false;
  const { call, close } = guardCalls({
    name: backend.name,
    what: "queue",
    toMemoryError: (operation, thrown) => backend.toMemoryError(operation, thrown),
  });
  return Object.freeze<TurnQueue>({
    submit: ({ conversationId, turnId }, { at, priority = 0, group }: SubmitOptions = {}) =>
      call(
        "submit",
        [
          ...pointerIssues({ conversationId, turnId }),
          at === undefined ? undefined : dateIssue("at", at),
          priorityIssue(priority),
          group === undefined ? undefined : idIssue("group", group),
        ],
        () => backend.submit({ conversationId, turnId }, { at, priority, group }),
      ),
    cancel: ({ conversationId, turnId }) =>
      call("cancel", pointerIssues({ conversationId, turnId }), () =>
        backend.cancel({ conversationId, turnId }),
      ),
    work: (options) => {
      parseOptions(workSchema, options, "worker options");
      if (isClosed) throw new TypeError("Invalid call of work(): this queue was closed; create a new one.");
      const { handle, concurrency, onError } = options;
      const opened = backend.work({ handle, concurrency, onError });
      let closing: Promise<void> | undefined;
      const worker: TurnWorker = {
        close: () => {
          closing ??= opened.close().finally(() => workers.delete(worker));
          return closing;
        },
      };
      workers.add(worker);
      return worker;
    },
    close: () => {
      isClosed = true;
      return close(async () => {
        await Promise.all([...workers].map((worker) => worker.close()));
        await backend.close();
      });
    },
  });
}
