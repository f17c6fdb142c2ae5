import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  type MemoryErrorUnion,
  type Result,
} from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import type { ConversationMemory, MemoryProvider } from "../contract/provider.ts";
import { withDeadline } from "../runtime/abort.ts";
import { present } from "../runtime/objects.ts";

const optionsSchema = z.strictObject({
  /**
   * The maximum duration of one `DiagnosisStep`, in milliseconds. A step that takes longer counts as failed. Default
   * 10,000.
   */
  timeoutMs: z.number().min(1).max(2_147_483_647).default(10_000),
  /**
   * Whether to write a test conversation. Default `true`. With `false`, only health, statistics and one read are
   * tested. Use `false` for a store that has reached its maximum number of conversations, because the test conversation
   * would evict a stored conversation.
   */
  write: z.boolean().default(true),
});

/** Options of `diagnoseMemoryProvider`. */
export type DiagnosisOptions = z.input<typeof optionsSchema>;

/**
 * The name of a step of a diagnosis, in the order in which the steps run. `"read-back"` reads the conversation after
 * the append, and `"gone"` reads it after the deletion.
 */
export type DiagnosisStepName =
  | "health"
  | "stats"
  | "store"
  | "read"
  | "append"
  | "read-back"
  | "delete"
  | "gone";

/** The result of one step of a diagnosis. */
export interface DiagnosisStep {
  readonly name: DiagnosisStepName;
  readonly ok: boolean;
  /** The duration of the step in milliseconds. */
  readonly latencyMs: number;
  /** Why the step failed. Absent if it succeeded. */
  readonly error?: MemoryErrorUnion;
}

/** The result of `diagnoseMemoryProvider`. */
export interface MemoryDiagnosis {
  /** Whether every step succeeded. */
  readonly ok: boolean;
  readonly steps: readonly DiagnosisStep[];
  /**
   * The id of the test conversation, if it may still be stored. A store that supports `ttlSeconds` removes it within
   * five minutes. Absent: no test conversation is left.
   */
  readonly leftoverConversationId?: string;
}

/**
 * Tests a provider. Checks its health and its statistics. Then stores, reads, appends, reads again and deletes a test
 * conversation with a new id. Later steps, including the deletion, run even if an earlier step failed. If a write took
 * too long, the test conversation is deleted again when the write has finished. This function prints nothing;
 * `formatMemoryDiagnosis` converts the result into text.
 *
 * Other conversations stay untouched, with one exception. In a store that has reached a limit (e.g. the in-memory
 * provider with `maxConversations`), the test conversation evicts the conversation with the oldest activity. With
 * `write: false`, nothing is written. The diagnosis then checks health and statistics, and reads a conversation that
 * was never stored, which must return `null`.
 *
 * If a method of the provider fails, throws or never answers, the failure is in the result, and the returned promise
 * doesn't reject. Rejects with a `TypeError` if the options are invalid.
 *
 * @example
 * ```ts
 * import { createMemoryProviderFromEnv, diagnoseMemoryProvider, formatMemoryDiagnosis } from "@jaf/memory";
 *
 * const diagnosis = await diagnoseMemoryProvider(await createMemoryProviderFromEnv());
 * console.log(formatMemoryDiagnosis(diagnosis));
 * if (!diagnosis.ok) process.exitCode = 1;
 * ```
 */
export async function diagnoseMemoryProvider(
  provider: MemoryProvider,
  options: DiagnosisOptions = {},
): Promise<MemoryDiagnosis> {
  const { timeoutMs, write } = parseOptions(optionsSchema, options, "diagnosis options");
  const id = `jaf-diagnosis-${crypto.randomUUID()}`;
  const steps: DiagnosisStep[] = [];
  const run: Run = async (step) => {
    const start = performance.now();
    const error = errorOf(await outcomeOf(timeoutMs, step), step.misfit);
    const latencyMs = performance.now() - start;
    steps.push({
      name: step.name,
      ok: error === undefined,
      latencyMs,
      ...present({ error }),
    });
    return error === undefined;
  };
  await tryReading(provider, run);
  let clean = true;
  if (write) clean = await tryWriting(provider, id, run);
  else await run({ name: "read", call: () => provider.getConversation(id), misfit: isAbsent });
  return { ok: steps.every((step) => step.ok), steps, ...(clean ? {} : { leftoverConversationId: id }) };
}

/**
 * Converts a diagnosis into readable text. The text contains no stored content.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, diagnoseMemoryProvider, formatMemoryDiagnosis } from "@jaf/memory";
 *
 * const diagnosis = await diagnoseMemoryProvider(createInMemoryProvider(), { write: false });
 * console.log(formatMemoryDiagnosis(diagnosis));
 * ```
 */
export function formatMemoryDiagnosis({ ok, steps, leftoverConversationId }: MemoryDiagnosis): string {
  return [
    ...steps.map(formatStep),
    ...(leftoverConversationId === undefined
      ? []
      : [
          `The test conversation ${leftoverConversationId} may still be stored. It expires in 5 minutes if the store supports ttlSeconds.`,
        ]),
    ok ? "The memory provider works." : "The memory provider does not work as it should.",
  ].join("\n");
}

function formatStep({ name, ok, latencyMs, error }: DiagnosisStep): string {
  const outcome = ok ? "ok" : `failed, ${error?._tag}: ${error?.message}`;
  return `${name} (${latencyMs.toFixed(1)} ms): ${outcome}`;
}

const OPERATION = "diagnoseMemoryProvider";

/** The lifetime of the test conversation, in seconds, if it isn't deleted (e.g. because this process crashes). */
const TTL_SECONDS = 300;

const FIRST: Message = { role: "user", content: "test message" };

const SECOND: Message = { role: "assistant", content: "test response" };

const failed = (reason: string, cause?: unknown): MemoryErrorUnion =>
  createMemoryStorageError(OPERATION, reason, { cause });

interface Step<T> {
  readonly name: DiagnosisStepName;
  readonly call: () => Promise<Result<T>>;
  /** Checks the data of a successful result. Returns what is wrong with the data, or `undefined`. */
  readonly misfit?: (data: T) => string | undefined;
  /**
   * Called if `call` takes too long. The argument is the promise that `call` returned, which may settle later or never.
   */
  readonly onLate?: (answer: Promise<unknown>) => void;
}

/**
 * Calls the method that the step tests, and returns its result. Returns a failure if the method throws or takes longer
 * than `timeoutMs`.
 */
async function outcomeOf<T>(timeoutMs: number, { call, onLate }: Step<T>): Promise<unknown> {
  // The method is called inside a promise, so that the error of a method that throws synchronously is caught, too.
  const answer = Promise.resolve().then(call);
  const late = new Error("late");
  const onTime = withDeadline(answer, { timeoutMs, timeoutError: () => late });
  return onTime.catch((thrown: unknown) => {
    if (thrown !== late) {
      return createFailure(failed("the provider threw instead of returning a failure", thrown));
    }
    onLate?.(answer);
    const hint = `it has not answered within ${timeoutMs} ms`;
    return createFailure(createMemoryConnectionError("unknown", hint, { operation: OPERATION }));
  });
}

const isTagged = (error: unknown): error is MemoryErrorUnion =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  "message" in error &&
  typeof error.message === "string";

const NO_RESULT = "the provider returned an invalid Result for this method";

/**
 * Returns the error of a step, or `undefined` if the step succeeded. `answer` may be any value, because the provider
 * may be faulty.
 */
function errorOf<T>(answer: unknown, misfit: Step<T>["misfit"]): MemoryErrorUnion | undefined {
  try {
    const result = answer as Result<T>;
    if (result.success === true) {
      const reason = misfit?.(result.data);
      return reason === undefined ? undefined : failed(reason);
    }
    if (result.success !== false) return failed(NO_RESULT);
    return isTagged(result.error) ? result.error : failed("the provider returned a failure without an error");
  } catch (thrown) {
    return failed(NO_RESULT, thrown);
  }
}

/**
 * Returns a function that checks whether a conversation ends with the expected messages. The first of them may be
 * missing.
 */
const endsIn =
  (...expected: readonly [Message, ...Message[]]) =>
  (conversation: ConversationMemory | null): string | undefined => {
    const messages = conversation?.messages ?? [];
    // A store with a limit on messages may have dropped the first expected messages.
    const kept = expected.slice(-messages.length);
    const same =
      messages.length > 0 &&
      messages.length === kept.length &&
      kept.every(({ role, content }, index) => {
        const message = messages[index];
        return message?.role === role && message.content === content;
      });
    return same ? undefined : "the messages that were read differ from the stored ones";
  };

const isAbsent = (conversation: ConversationMemory | null): string | undefined =>
  conversation === null ? undefined : "a conversation exists that should not exist";

type Run = <T>(step: Step<T>) => Promise<boolean>;

async function tryReading(provider: MemoryProvider, run: Run): Promise<void> {
  await run({
    name: "health",
    call: () => provider.healthCheck(),
    misfit: ({ healthy, error }) => (healthy === true ? undefined : (error ?? "the provider is not healthy")),
  });
  await run({
    name: "stats",
    call: () => provider.getStats(),
    misfit: ({ totalConversations, totalMessages }) =>
      Number.isInteger(totalConversations) && Number.isInteger(totalMessages) ? undefined : NO_RESULT,
  });
}

/** Runs the steps that write. Returns `true` if the test conversation is certainly deleted afterwards. */
async function tryWriting(provider: MemoryProvider, id: string, run: Run): Promise<boolean> {
  const late = new Set<Promise<unknown>>();
  const onLate = (answer: Promise<unknown>): void => {
    late.add(answer);
    const remove = () => void late.delete(answer);
    answer.then(remove, remove);
  };
  const ttlSeconds = TTL_SECONDS;
  const stored = await run({
    name: "store",
    call: () => provider.storeMessages(id, [FIRST], {}, { expectedVersion: 0, ttlSeconds }),
    onLate,
  });
  const read = () => provider.getConversation(id);
  await run({ name: "read", call: read, misfit: endsIn(FIRST) });
  await run({
    name: "append",
    call: () => provider.appendMessages(id, [SECOND], {}, { ttlSeconds }),
    onLate,
  });
  await run({ name: "read-back", call: read, misfit: endsIn(FIRST, SECOND) });
  // These writes took too long. They may still be stored after the deletion, so the test conversation is deleted again
  // when they have settled.
  const pending = [...late];
  const remove = () => provider.deleteConversation(id);
  const deleted = await run({
    name: "delete",
    call: remove,
    misfit: (existed) => {
      if (typeof existed !== "boolean") return NO_RESULT;
      return existed || !stored ? undefined : "the stored conversation was missing before its deletion";
    },
  });
  const gone = await run({ name: "gone", call: read, misfit: isAbsent });
  for (const answer of pending) answer.then(remove, remove).catch(() => {}); // The result already says that it may remain.
  return deleted && gone && pending.length === 0;
}
