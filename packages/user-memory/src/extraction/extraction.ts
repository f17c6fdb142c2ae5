import type { CompletionRequest } from "@jaf/core";
import { beforeDeadline } from "../background-work.ts";
import { kindOf, notify } from "../errors.ts";
import { type ExtractionJob, isStore } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import type { ExtractionSettings } from "./options.ts";
import { INSTRUCTIONS, type Proposed, parseReply, readProposals, requestFor } from "./prompt.ts";
import { rememberTurn } from "./remember-turn.ts";

/**
 * Why facts weren't extracted from a turn:
 *
 * - `"model"`: the model, or the application's own function, failed or took too long.
 * - `"reply"`: what it replied isn't what was asked for.
 * - `"given-up"`: it failed as often as `maxAttempts` allows; the job won't be tried again.
 */
export type ExtractionErrorCode = "model" | "reply" | "given-up";

export interface ExtractionErrorFields {
  readonly code: ExtractionErrorCode;
  /** Holds nothing of what was said. */
  readonly message: string;
  readonly attempt: number;
  readonly cause?: unknown;
}

/** What `onError` gets for an extraction job that failed. */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  readonly code: ExtractionErrorCode;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** Whether the job will be tried again. */
  readonly retryable: boolean;

  constructor({ code, message, attempt, cause }: ExtractionErrorFields) {
    super(message, cause === undefined ? undefined : { cause: kindOf(cause) });
    this.code = code;
    this.attempt = attempt;
    this.retryable = code !== "given-up";
  }
}

/** Asks a model once; see `MiddlewareTurn.complete`. */
export type CompleteText = (request: CompletionRequest) => Promise<string>;

export interface ExtractionScope {
  readonly memory: UserMemory;
  readonly settings: ExtractionSettings;
  /** Absent where the application's own function proposes. */
  readonly complete?: CompleteText | undefined;
}

/** Of the lease, so much is for whoever proposes; the rest is for the store. */
const ASKING_SHARE = 0.8;

/**
 * Does a job: asks for proposals, unless all is quoted, and keeps what the user's words are found for. Nothing is asked where
 * everything was forgotten since the turn began. Rejects where it failed as a whole.
 */
export async function extractFacts(
  { memory, settings, complete }: ExtractionScope,
  job: ExtractionJob,
  attempt: number,
): Promise<void> {
  // Nobody is shown any more what is to be forgotten.
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
  const what = settings.extract === undefined ? "The model's reply" : "What extract() resolved with";
  throw new ExtractionError({ code: "reply", message: unreadable(what), attempt });
}

const unreadable = (what: string): string => `${what} holds no list of facts of the form that is asked for.`;

/** The model's reply, or what the application's function resolves with. */
async function requestProposals({ settings, complete, job, attempt }: ProposalRequest): Promise<unknown> {
  const timeoutMs = Math.ceil(ASKING_SHARE * settings.leaseMs);
  const over = new AbortController();
  const { said, reply, question, model, userId, conversationId } = job;
  const { signal } = over;
  const ask = (): Promise<unknown> => {
    if (settings.extract !== undefined)
      return settings.extract({ userId, said, reply, question, conversationId, signal });
    if (complete === undefined) throw new Error("There is neither a model nor extract().");
    return complete({ instructions: INSTRUCTIONS, messages: [requestFor(job)], model, signal });
  };
  try {
    return await beforeDeadline(timeoutMs, ask);
  } catch (cause) {
    const message = "Whoever was to propose facts failed, or took too long.";
    throw new ExtractionError({ code: "model", message, attempt, cause });
  } finally {
    over.abort();
  }
}
