/** Notes of one user, numbered from 1 as they are listed. */
export interface Notes {
  readonly add: (userId: string, text: string) => Promise<void>;
  readonly list: (userId: string) => Promise<readonly string[]>;
  /** The removed note; `undefined` if there is none of that number. */
  readonly remove: (userId: string, number: number) => Promise<string | undefined>;
}
