/** Position and digest of a history. `ConversationMetadata` and the receipt of a write have these fields. */
export interface HistoryPosition {
  readonly nextPosition?: number;
  readonly historyDigest?: string;
}

/**
 * A token that a client sends in a continuation in place of its copy of the history: opaque, about 70 characters. Valid
 * until messages change, whoever changes them; changes of metadata don't affect it. `undefined` if the store keeps no
 * digests.
 *
 * It is no secret and grants no access: the store decides who owns the conversation. Whoever knows the stored messages can
 * compute it, and gains nothing by it.
 */
export const historyTokenOf = (position: HistoryPosition | undefined): string | undefined =>
  position?.nextPosition === undefined || position.historyDigest === undefined
    ? undefined
    : `${position.nextPosition}.${position.historyDigest}`;
