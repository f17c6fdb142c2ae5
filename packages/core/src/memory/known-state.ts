/** What the store counts of the conversation, as this run knows it; `undefined`: it doesn't count that. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** See `historyTokenOf`. */
  readonly historyToken: string | undefined;
}
