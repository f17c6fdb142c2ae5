import type { Message } from "../message.ts";

/** What a store tells of a history: `ConversationMetadata` does, and the receipt of a write. */
export interface HistoryPosition {
  readonly nextPosition?: number;
  readonly historyDigest?: string;
}

/**
 * What stands for the history in a continuation, so that a client needn't send its copy: opaque, about 70 characters. It is
 * good until messages change, whoever changes them; changes of metadata leave it as it is. `undefined` where the store
 * keeps no digests.
 *
 * No secret, and no permission: who owns the conversation is for the store to say. Somebody who can compute digests of the
 * stored messages can make it, and has won nothing by it.
 */
export const historyTokenOf = (place: HistoryPosition | undefined): string | undefined =>
  place?.nextPosition === undefined || place.historyDigest === undefined
    ? undefined
    : `${place.nextPosition}.${place.historyDigest}`;

/** In place of a client's copy of the history: what stands for it, and what the client adds. Nothing of it is checked yet. */
export interface TokenContinuation {
  /** What a run, or {@link historyTokenOf}, gave out. */
  readonly historyToken: string;
  /** What comes behind the history. */
  readonly messages: readonly Message[];
}
