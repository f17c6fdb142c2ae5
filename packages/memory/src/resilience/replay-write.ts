import { createMemoryStorageError, type MemoryErrorUnion } from "../errors.ts";
import { isErasedSince, parseIncarnation } from "../incarnation.ts";
import { sameJson, sameLists } from "../json/same-json.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { type ProviderReading, readFrom } from "../read-from.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import type { DeadLetterReason } from "./dead-letters.ts";
import type { FallbackWrite } from "./journal-entry.ts";
import { type Expectations, expecting, optionsOf, sendWrite, type WriteRequest } from "./write-request.ts";

/** Calls the primary. */
export type CallPrimary = <T>(send: (primary: MemoryProvider) => Promise<Result<T>>) => Promise<Result<T>>;

export interface Replaying {
  readonly conversationId: string;
  /** The owner of the fallback writes; `undefined`: nobody. */
  readonly userId: string | undefined;
  /** What the writes that were replayed before make of an empty conversation. */
  readonly messages: readonly Message[];
}

export type Replayed =
  | { readonly status: "done" }
  | { readonly status: "dead-letter"; readonly reason: DeadLetterReason };

const DONE: Replayed = { status: "done" };
const deadLetter = (reason: DeadLetterReason): Replayed => ({ status: "dead-letter", reason });

/** How often somebody else may write before the replay does, until it is left to the next replay. */
const ATTEMPTS = 10;

/** One that no conversation has. */
const NO_VERSION = Number.MAX_SAFE_INTEGER;

const dropCount = (request: WriteRequest): number => optionsOf(request)?.dropLast ?? 0;

const sameMessages = (a: readonly Message[], b: readonly Message[]): boolean => sameLists(a, b, sameJson);

/** What the messages are after the write, as far as the write says. */
export function messagesAfter(before: readonly Message[], { request }: FallbackWrite): readonly Message[] {
  switch (request.operation) {
    case "appendMessages":
      return [...before.slice(0, Math.max(0, before.length - dropCount(request))), ...request.args[1]];
    case "storeMessages":
      return request.args[1];
    case "importConversation":
      return request.args[0].messages;
  }
}

/** Whether the write can follow what the primary holds: its caller knew the messages that it removes. */
function fits(
  { request, dropped = [] }: FallbackWrite,
  current: readonly Message[],
  known: readonly Message[],
) {
  switch (request.operation) {
    case "appendMessages": {
      const count = dropCount(request);
      if (count === 0) return true;
      return dropped.length === count && sameMessages(current.slice(-count), dropped);
    }
    case "storeMessages":
      return sameMessages(current, request.args[1].slice(0, current.length)) || sameMessages(current, known);
    case "importConversation":
      return true; // It expects that there is none.
  }
}

const needsMessages = ({ request }: FallbackWrite): boolean =>
  request.operation === "storeMessages" || dropCount(request) > 0;

const creates = (request: WriteRequest): boolean =>
  request.operation !== "appendMessages" || Boolean(optionsOf(request)?.createIfMissing);

const NEVER_ERASED = { conversation: null, user: null } as const;

/** Whether the conversation that the write was for is there no more. */
function isErased({ request, seen }: FallbackWrite, { conversation, incarnation }: ProviderReading): boolean {
  const before = seen === undefined ? undefined : parseIncarnation(seen);
  if (conversation !== null) {
    return before !== undefined && "present" in before && incarnation !== before.present;
  }
  if (!creates(request) || (before !== undefined && "present" in before)) return true;
  const now = incarnation === undefined ? undefined : parseIncarnation(incarnation);
  if (now === undefined || !("absent" in now)) return false;
  return isErasedSince(before?.absent ?? NEVER_ERASED, now.absent);
}

function reasonOf(error: MemoryErrorUnion): DeadLetterReason | undefined {
  switch (error._tag) {
    case "MemoryConflictError":
      if (error.reason === "owner") return "owner";
      return error.reason === "incarnation" ? "erased" : "changed";
    case "MemoryNotFoundError":
      return "erased";
    case "MemoryValidationError":
      return "refused";
    case "MemoryStorageError":
      return error.retryable ? undefined : "refused";
    case "MemoryConnectionError":
      return undefined;
  }
}

/** Somebody else wrote between the read and the write. */
const hasChangedSinceRead = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && (error.reason === "version" || error.reason === "incarnation");

const tooManyChanges = (): MemoryErrorUnion =>
  createMemoryStorageError(
    "replayFallbackWrites",
    "others changed the conversation again and again meanwhile; try again",
    { provider: "primary", retryable: true },
  );

/** Why the write doesn't follow what the primary holds; `undefined` if it does. */
function faultOf(
  write: FallbackWrite,
  reading: ProviderReading,
  { userId, messages }: Replaying,
): DeadLetterReason | undefined {
  const { conversation } = reading;
  const owner = conversation?.userId;
  if (owner !== undefined && owner !== userId) return "owner";
  if (isErased(write, reading)) return "erased";
  return conversation === null || fits(write, conversation.messages, messages) ? undefined : "changed";
}

function expectationsOf(
  write: FallbackWrite,
  { conversation, incarnation }: ProviderReading,
  fault: DeadLetterReason | undefined,
): Expectations {
  const identity = incarnation === undefined ? {} : { expectedIncarnation: incarnation };
  if (write.request.operation === "importConversation") return identity;
  // Under a key that the primary knows, the write was done: that is decided before any version.
  if (fault !== undefined) return { ...identity, expectedVersion: NO_VERSION };
  const version = conversation === null ? 0 : conversation.metadata?.version;
  return needsMessages(write) && version !== undefined ? { ...identity, expectedVersion: version } : identity;
}

/**
 * Does one fallback write on the primary, under its key: what the primary did before it lost the reply, or in a replay
 * that was interrupted, is not done again. Fails only for what may pass, and for a primary that is out of reach.
 */
export async function replayWrite(
  callPrimary: CallPrimary,
  write: FallbackWrite,
  replaying: Replaying,
): Promise<Result<Replayed>> {
  const { conversationId, userId } = replaying;
  const isImport = write.request.operation === "importConversation";
  const options = {
    messages: needsMessages(write) ? "all" : "none",
    ...(userId === undefined ? {} : { userId }),
  } as const;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const read = await callPrimary((primary) => readFrom(primary, conversationId, options));
    if (!read.success) return read;
    const fault = faultOf(write, read.data, replaying);
    // It makes a conversation, whatever it expects.
    if (isImport && fault === "erased") return createSuccess(deadLetter(fault));
    const request = expecting(write.request, expectationsOf(write, read.data, fault));
    const sent = await callPrimary((primary) => sendWrite(primary, request));
    if (sent.success) return createSuccess(DONE);
    const reason = reasonOf(sent.error);
    if (reason === undefined) return sent;
    if (fault !== undefined) return createSuccess(deadLetter(fault));
    // An import can't follow if somebody else has created the conversation, and trying again doesn't change that.
    if (isImport || !hasChangedSinceRead(sent.error)) return createSuccess(deadLetter(reason));
  }
  return createFailure(tooManyChanges());
}
