/** The store's versions and counts of the conversation, as this run knows them; `undefined`: the store doesn't tell it. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** How many messages it has: a write may have made the store drop the oldest. */
  readonly totalMessages: number | undefined;
  /** See `historyTokenOf`. */
  readonly historyToken: string | undefined;
}
