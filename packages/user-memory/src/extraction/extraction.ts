import { beforeDeadline } from "../background-work.ts";
import { kindOf, notify } from "../errors.ts";
import type { CompletionRequest } from "../run-types.ts";
import { type ExtractionJob, isStore } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import type { ExtractionSettings } from "./options.ts";
import { INSTRUCTIONS, type Proposed, parseReply, readProposals, requestFor } from "./prompt.ts";
import { rememberTurn } from "./remember-turn.ts";

/**
 * Why an extraction failed:
 *
 * - `"model"`: the model or your `extract` function failed or took too long.
 * - `"reply"`: the model's reply, or the result of `extract`, doesn't have the expected form.
 * - `"given-up"`: the job failed `maxAttempts` times and isn't retried.
 */
export type ExtractionErrorCode = "model" | "reply" | "given-up";

/** The fields of an {@link ExtractionError}. */
export interface ExtractionErrorFields {
  /** Why the extraction failed. */
  readonly code: ExtractionErrorCode;
  /** What went wrong. Contains no content of the conversation. */
  readonly message: string;
  /** The number of the attempt at the job, from 1. */
  readonly attempt: number;
  /** The error of the model or of your `extract` function. Only the name and the code of this error are kept. */
  readonly cause?: unknown;
}

/**
 * The error of a failed extraction job. The option `onError` is called with this error.
 *
 * @example
 * ```ts
 * import { asUserMemory, ExtractionError, MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
 *
 * const onError = (error: unknown): void => {
 *   if (error instanceof ExtractionError && !error.retryable) console.error("Given up:", error.code, error.message);
 * };
 * setUserMemory(asUserMemory(new MemoryUserMemory(), { extract: { onError } }));
 * ```
 */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  /** Why the extraction failed. */
  readonly code: ExtractionErrorCode;
  /** The number of the attempt at the job, from 1. */
  readonly attempt: number;
  /** Whether the job will be retried. */
  readonly retryable: boolean;

  constructor({ code, message, attempt, cause }: ExtractionErrorFields) {
    super(message, cause === undefined ? undefined : { cause: kindOf(cause) });
    this.code = code;
    this.attempt = attempt;
    this.retryable = code !== "given-up";
  }
}

/** Calls a model once and resolves with the text of the model's reply. See `MiddlewareTurn.complete`. */
export type CompleteText = (request: CompletionRequest) => Promise<string>;

export interface ExtractionScope {
  readonly memory: UserMemory;
  readonly settings: ExtractionSettings;
  /**
   * Calls the model that proposes facts. It isn't needed if the function in the option `extract` proposes the facts, or
   * if all jobs are verbatim. A verbatim job stores the user's words as they are, without a model.
   */
  readonly complete?: CompleteText | undefined;
}

/** Time limit for proposing facts, as a share of the job's lease. */
const ASKING_SHARE = 0.8;

/**
 * Runs an extraction job: stores the user's words that support the proposed facts or, for a verbatim job, all words.
 * Rejects if the facts can't be proposed, or if the store fails.
 */
export async function extractFacts(
  { memory, settings, complete }: ExtractionScope,
  job: ExtractionJob,
  attempt: number,
): Promise<void> {
  // The user's memory was erased: the model must not see the turn any more.
  if (isStore(memory) && (await memory.mark(job.userId)) !== job.since) return;
  const proposals = job.isVerbatim ? undefined : await propose({ settings, complete, job, attempt });
  const { userId, conversationId, position } = job;
  if (proposals === "private") {
    notify(settings.onOffRecord, { userId, conversationId, position, detectedBy: "extractor" });
    return;
  }
  const entries = await rememberTurn({
    memory,
    job,
    proposals,
    extractor: extractorOf(job, settings),
    settings,
  });
  if (entries.length === 0) return;
  notify(settings.onExtracted, entries, { userId, conversationId, proposed: proposals?.length ?? 0 });
}

function extractorOf({ isVerbatim, model }: ExtractionJob, { extract }: ExtractionSettings): string {
  if (isVerbatim) return "verbatim";
  return model ?? (extract === undefined ? "the agent's model" : "the application");
}

interface ProposalRequest extends Omit<ExtractionScope, "memory"> {
  readonly job: ExtractionJob;
  readonly attempt: number;
}

async function propose(request: ProposalRequest): Promise<Proposed> {
  const { settings, attempt } = request;
  const reply = await requestProposals(request);
  try {
    if (typeof reply === "string") return parseReply(reply);
  } catch (cause) {
    throw new ExtractionError({ code: "reply", message: unreadable("The model's reply"), attempt, cause });
  }
  const proposals = readProposals(reply);
  if (proposals !== undefined) return proposals;
  const what = settings.extract === undefined ? "The model's reply" : "The result of extract()";
  throw new ExtractionError({ code: "reply", message: unreadable(what), attempt });
}

const unreadable = (what: string): string => `${what} has no list of facts in the expected form.`;

/** Returns the result of the option `extract` or, if it isn't set, the text of the model's reply. */
async function requestProposals({ settings, complete, job, attempt }: ProposalRequest): Promise<unknown> {
  const timeoutMs = Math.ceil(ASKING_SHARE * settings.leaseMs);
  const over = new AbortController();
  const { said, reply, question, model, userId, conversationId } = job;
  const { signal } = over;
  const ask = (): Promise<unknown> => {
    if (settings.extract !== undefined)
      return settings.extract({ userId, said, reply, question, conversationId, signal });
    if (complete === undefined) throw new Error("Neither a model nor extract() is set.");
    return complete({ instructions: INSTRUCTIONS, messages: [requestFor(job)], model, signal });
  };
  try {
    return await beforeDeadline(timeoutMs, ask);
  } catch (cause) {
    const message = "The model or extract() failed or took too long, so no facts were proposed.";
    throw new ExtractionError({ code: "model", message, attempt, cause });
  } finally {
    over.abort();
  }
}
