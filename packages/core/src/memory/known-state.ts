/** The store's versions and counts of the conversation, as this run knows them; `undefined`: the store doesn't tell it. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** See `historyTokenOf`. */
  readonly historyToken: string | undefined;
}
