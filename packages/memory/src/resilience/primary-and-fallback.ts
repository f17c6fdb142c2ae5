import type { MemoryErrorUnion } from "../errors.ts";
import { notifyObserver } from "../observer.ts";
import type { HealthStatus, MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";
import type { Circuit } from "./circuit.ts";
import type { FallbackSettings, Operation } from "./options.ts";
import type { WriteRequest } from "./write-request.ts";

export type ProviderCall<T> = (provider: MemoryProvider) => Promise<Result<T>>;

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

/** What differs between the two ways to treat writes. */
export interface Routing {
  readonly read: <T>(call: ConversationCall, send: ProviderCall<T>) => Promise<Result<T>>;
  readonly find: MemoryProvider["findConversations"];
  /** What it is given is its own. */
  readonly write: (request: WriteRequest) => Promise<Result<void>>;
  readonly deleteConversation: MemoryProvider["deleteConversation"];
  readonly clearUserConversations: MemoryProvider["clearUserConversations"];
  readonly getStats: MemoryProvider["getStats"];
  readonly healthCheck: MemoryProvider["healthCheck"];
  /** Before the stores are closed. */
  readonly close: () => Promise<void>;
}

export interface EitherOptions<T> {
  readonly send: ProviderCall<T>;
  /** Called after a success of the primary. */
  readonly onPrimary?: (data: T) => void;
  /** Called after a success of the fallback. */
  readonly onFallback?: (data: T) => void;
}

/** Calls the primary and, if it is out of reach, the fallback. */
export async function callEither<T>(
  { primary, fallback, circuit, settings }: Stores,
  call: Call,
  { send, onPrimary, onFallback }: EitherOptions<T>,
): Promise<Result<T>> {
  let error: MemoryErrorUnion | undefined = circuit.blockedBy();
  if (error === undefined) {
    const record = circuit.begin();
    const result = await send(primary);
    error = record(result);
    if (result.success) onPrimary?.(result.data);
    if (error === undefined) return result;
  }
  notifyObserver("onFallback", settings.onFallback, { ...call, error });
  const result = await send(fallback);
  if (result.success) onFallback?.(result.data);
  return result;
}

/** Writes always go to the primary, which may have recovered: only reads follow the circuit breaker. */
export async function callPrimary<T>(
  { primary, circuit }: Stores,
  send: ProviderCall<T>,
): Promise<Result<T>> {
  const record = circuit.begin();
  const result = await send(primary);
  record(result);
  return result;
}

/** The primary's health: a healthy answer ends an outage. */
export async function checkHealth({ primary, circuit }: Stores): Promise<Result<HealthStatus>> {
  const record = circuit.begin();
  const health = await primary.healthCheck();
  if (health.success && health.data.healthy) record(health);
  return health;
}
