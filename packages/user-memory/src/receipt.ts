/** What was deleted. It holds no text and names no user. */
export interface ForgetDetails {
  /** Random; for the application's records. */
  readonly receiptId: string;
  readonly at: Date;
  /** How many facts are gone, whatever their status; `0` if there was no such fact. */
  readonly facts: number;
  /** How many vectors went with them. */
  readonly vectors: number;
  /** How many turns that waited to be extracted are gone. */
  readonly jobs: number;
  /** How many older facts count again, because what had superseded them is gone. */
  readonly revived: number;
}

/** Also a `void`, so that a store with receipts is a `UserMemory` as documented. */
// biome-ignore lint/suspicious/noConfusingVoidType: the specification has these methods resolve with nothing
export type ForgetReceipt = ForgetDetails & void;
