/**
 * The user who sends a request, as the server option `authenticate` returns it. You can add fields, e.g. a tenant: your
 * `context` function receives them. The fields must be JSON values without secrets. The turn log stores the identity
 * while a turn runs, the inbox while a message waits, and the store of timers until a timer is due, so that any process
 * can go on. So let `context` read roles from your database: a role in the identity would outlast its removal. A running
 * turn takes a user's message only if it was sent with an equal identity, or before such a message.
 */
export interface Identity {
  /** The user's id. The user's conversations and facts are stored under this id. */
  readonly userId: string;
  readonly [field: string]: unknown;
}
