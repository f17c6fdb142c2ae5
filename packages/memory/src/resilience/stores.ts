import type { MemoryErrorUnion } from "../errors.ts";
import { tell } from "../observer.ts";
import type { HealthStatus, MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";
import type { Circuit } from "./circuit.ts";
import type { FallbackSettings, Operation } from "./options.ts";

export type Ask<T> = (provider: MemoryProvider) => Promise<Result<T>>;

export interface Call {
  readonly operation: Operation;
  readonly conversationId?: string;
}

export interface ConversationCall extends Call {
  readonly conversationId: string;
}

export interface Stores {
  readonly primary: MemoryProvider;
  readonly fallback: MemoryProvider;
  readonly circuit: Circuit;
  readonly settings: FallbackSettings;
}

export interface Question<T> {
  readonly ask: Ask<T>;
  /** Told of a success of the primary. */
  readonly onPrimary?: (data: T) => void;
  /** Told of a success of the fallback. */
  readonly onFallback?: (data: T) => void;
}

/** Asks the primary and, when it is out of reach, the fallback. */
export async function askEither<T>(
  { primary, fallback, circuit, settings }: Stores,
  call: Call,
  { ask, onPrimary, onFallback }: Question<T>,
): Promise<Result<T>> {
  let error: MemoryErrorUnion | undefined = circuit.blockedBy();
  if (error === undefined) {
    const note = circuit.begin();
    const result = await ask(primary);
    error = note(result);
    if (result.success) onPrimary?.(result.data);
    if (error === undefined) return result;
  }
  tell("onFallback", settings.onFallback, { ...call, error });
  const result = await ask(fallback);
  if (result.success) onFallback?.(result.data);
  return result;
}

/** Writes are never held back from a primary that may have recovered: only reads go by the circuit. */
export async function askPrimary<T>({ primary, circuit }: Stores, ask: Ask<T>): Promise<Result<T>> {
  const note = circuit.begin();
  const result = await ask(primary);
  note(result);
  return result;
}

/** The primary's health: a healthy answer ends an outage. */
export async function checkHealth({ primary, circuit }: Stores): Promise<Result<HealthStatus>> {
  const note = circuit.begin();
  const health = await primary.healthCheck();
  if (health.success && health.data.healthy) note(health);
  return health;
}
