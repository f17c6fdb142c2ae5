/**
 * The user who sends a request, as the server option `authenticate` returns it. You can add fields, e.g. a tenant or
 * roles: your `context` function receives them. The fields must be JSON values without secrets. The turn log stores
 * the identity while a turn runs, and the inbox while a message waits, so that another process can go on.
 */
export interface Identity {
  /** The user's id. The user's conversations and facts are stored under this id. */
  readonly userId: string;
  readonly [field: string]: unknown;
}
