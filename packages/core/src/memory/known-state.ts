/** What the store counts of the conversation, as this run knows it; `undefined`: it doesn't count that. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** How many messages it has: a write may have made the store drop the oldest. */
  readonly totalMessages: number | undefined;
  /** See `historyTokenOf`. */
  readonly historyToken: string | undefined;
}
