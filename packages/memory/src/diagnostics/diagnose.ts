import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import { createMemoryConnectionError, createMemoryStorageError, type MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { ConversationMemory, MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";
import type { DiagnosisStep, DiagnosisStepName, MemoryDiagnosis } from "./report.ts";

const optionsSchema = z.strictObject({
  /** How long a step may take before it counts as failed. Default 10,000. */
  timeoutMs: z.number().min(1).max(2_147_483_647).default(10_000),
});

export type DiagnosisOptions = z.input<typeof optionsSchema>;

const OPERATION = "diagnoseMemoryProvider";

/** After a crash of this process, or a deletion that fails, the store removes the test conversation by itself. */
const TTL_SECONDS = 300;

const FIRST: Message = { role: "user", content: "test message" };
const SECOND: Message = { role: "assistant", content: "test response" };

const failed = (reason: string, cause?: unknown): MemoryErrorUnion =>
  createMemoryStorageError(OPERATION, reason, { cause });

/** Settles within the time, whatever the provider does. */
async function within<T>(timeoutMs: number, call: () => Promise<Result<T>>): Promise<Result<T>> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Result<T>>((resolve) => {
    const hint = `it has not answered within ${timeoutMs} ms`;
    const error = createMemoryConnectionError("unknown", hint, { operation: OPERATION });
    timer = setTimeout(() => resolve({ success: false, error }), timeoutMs);
  });
  // Within a promise, so that a method that throws at once is caught as well.
  const answer = Promise.resolve().then(call);
  try {
    return await Promise.race([answer, timeout]);
  } catch (thrown) {
    return { success: false, error: failed("the provider threw instead of returning a failure", thrown) };
  } finally {
    clearTimeout(timer);
  }
}

interface Step<T> {
  readonly name: DiagnosisStepName;
  readonly call: () => Promise<Result<T>>;
  /** What is wrong with a success. */
  readonly misfit?: (data: T) => string | undefined;
}

function judge<T>(result: Result<T>, misfit: Step<T>["misfit"]): MemoryErrorUnion | undefined {
  try {
    if (!result.success) return result.error;
    const reason = misfit?.(result.data);
    return reason === undefined ? undefined : failed(reason);
  } catch (thrown) {
    return failed("the provider returned something that is no Result of this method", thrown);
  }
}

const holds =
  (...expected: readonly Message[]) =>
  (conversation: ConversationMemory | null): string | undefined => {
    const same =
      conversation?.messages.length === expected.length &&
      expected.every(({ role, content }, index) => {
        const message = conversation.messages[index];
        return message?.role === role && message.content === content;
      });
    return same ? undefined : "what was read is not what was stored";
  };

/**
 * Tries a provider out: health, statistics, and storing, reading, appending, reading back and deleting a conversation
 * of its own under a new id; nobody else's is touched. The later steps run also when an earlier one failed, and the
 * conversation is deleted in any case. Prints nothing; for a text, see `formatMemoryDiagnosis`.
 *
 * Never rejects because of the provider, also not when that throws or hangs; rejects with a `TypeError` for invalid
 * options.
 */
export async function diagnoseMemoryProvider(
  provider: MemoryProvider,
  options: DiagnosisOptions = {},
): Promise<MemoryDiagnosis> {
  const { timeoutMs } = parseOptions(optionsSchema, options, "diagnosis options");
  const id = `jaf-diagnosis-${crypto.randomUUID()}`;
  const steps: DiagnosisStep[] = [];
  async function run<T>({ name, call, misfit }: Step<T>): Promise<boolean> {
    const start = performance.now();
    const error = judge(await within(timeoutMs, call), misfit);
    const latencyMs = performance.now() - start;
    steps.push({ name, ok: error === undefined, latencyMs, ...(error === undefined ? {} : { error }) });
    return error === undefined;
  }
  await run({
    name: "health",
    call: () => provider.healthCheck(),
    misfit: ({ healthy, error }) => (healthy ? undefined : (error ?? "the provider is not healthy")),
  });
  await run({ name: "stats", call: () => provider.getStats() });
  const write = { expectedVersion: 0, ttlSeconds: TTL_SECONDS };
  const more = { ttlSeconds: TTL_SECONDS };
  const stored = await run({ name: "store", call: () => provider.storeMessages(id, [FIRST], {}, write) });
  const read = () => provider.getConversation(id);
  await run({ name: "read", call: read, misfit: holds(FIRST) });
  await run({ name: "append", call: () => provider.appendMessages(id, [SECOND], {}, more) });
  await run({ name: "read-back", call: read, misfit: holds(FIRST, SECOND) });
  const deleted = await run({
    name: "delete",
    call: () => provider.deleteConversation(id),
    misfit: (existed) => (existed || !stored ? undefined : "the stored conversation was not there to delete"),
  });
  const ok = steps.every((step) => step.ok);
  return { ok, steps, ...(deleted ? {} : { leftBehind: id }) };
}
