export type SendSeveral = (
  commands: readonly (readonly string[])[],
  key: string,
) => Promise<readonly unknown[]>;

/** All that the adapter needs of a client. */
export interface RedisPort {
  /**
   * Sends one command to the server that has `key`, or, without one, to any. Replies of scripts hold strings, numbers,
   * `null` and arrays of these.
   */
  readonly send: (args: readonly string[], key?: string) => Promise<unknown>;
  /** Sends several commands, one directly after the other on one connection to the server that has `key`. */
  readonly sendInTurn: SendSeveral;
  /** The same as one transaction. */
  readonly sendAsOne: SendSeveral;
  /** Whether keys may lie on different servers. */
  readonly isCluster: boolean;
  /** Whether the client may send a command again of which it doesn't know whether it was done. */
  readonly mayResend: boolean;
  /** To be told when calls got no reply in time. */
  readonly onTimeout?: () => void;
}
