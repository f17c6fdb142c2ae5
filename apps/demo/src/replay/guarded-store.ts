import { isDeepStrictEqual } from "node:util";
import { JAFErrorHandler } from "@jaf/core";
import {
  createFailure,
  createMemoryStorageError,
  type MemoryErrorUnion,
  type MemoryProvider,
} from "@jaf/memory";
import { Failure } from "../exit.ts";
import type { Recording } from "./recording.ts";

/** A store for one run that accepts only the recorded messages, in order. */
export interface GuardedStore {
  readonly provider: MemoryProvider;
  /** The number of durable messages. */
  readonly stored: () => number;
  /** Resolves when all messages before `index` are durable or being written, so later appends follow them. */
  readonly reached: (index: number) => Promise<void>;
  /** The reason of a failed append; `undefined` if none failed. */
  readonly failure: () => Failure | undefined;
}

/** `before`: the number of messages stored before the run. */
export function guardStore(recording: Recording, provider: MemoryProvider, before: number): GuardedStore {
  const { conversationId, messages: recorded } = recording;
  let waiting: { readonly index: number; readonly go: () => void }[] = [];
  let stored = before;
  let begun = before;
  let failure: Failure | undefined;

  function begin(end: number): void {
    begun = Math.max(begun, end);
    const ready = waiting.filter(({ index }) => index <= begun);
    waiting = waiting.filter(({ index }) => index > begun);
    for (const { go } of ready) go();
  }

  const reached = (index: number): Promise<void> =>
    new Promise((go) => {
      if (index <= begun) go();
      else waiting.push({ index, go });
    });

  function refuse(number: number) {
    // Later failures are consequences of the first one.
    failure ??= new Failure(
      `${conversationId}, message ${number}: the run was stopped, because its message differs from the recorded one. It was not stored.`,
    );
    begin(Number.POSITIVE_INFINITY); // Otherwise the run would wait for its tools forever.
    return createFailure(
      createMemoryStorageError("appendMessages", "the messages are not the recorded ones", {
        provider: "replay",
      }),
    );
  }

  const appendMessages: MemoryProvider["appendMessages"] = async (id, messages, metadata, options) => {
    const start = stored - (options?.dropLast ?? 0);
    const different = messages.findIndex(
      (message, index) => !isDeepStrictEqual(message, recorded[start + index]),
    );
    if (id !== conversationId || different !== -1) return refuse(start + Math.max(0, different) + 1);
    const end = start + messages.length;
    begin(end);
    const result = await provider.appendMessages(id, messages, metadata, options);
    if (result.success) stored = end;
    failure = result.success ? undefined : memoryFailure(conversationId, result.error);
    return result;
  };

  return {
    provider: { ...provider, appendMessages },
    stored: () => stored,
    reached,
    failure: () => failure,
  };
}

const memoryFailure = (conversationId: string, error: MemoryErrorUnion): Failure =>
  new Failure(
    `${conversationId}: ${JAFErrorHandler.format({ _tag: "MemoryError", error })}\nStored messages are kept. Run the replay again to continue.`,
  );
