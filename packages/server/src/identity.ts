/**
 * Who sends a request, as `authenticate` says. Other fields, e.g. a tenant or roles, are the application's: they reach its function
 * `context`. They are stored with a turn while it runs, so that another process can go on with it: they must be JSON and hold no
 * secret.
 */
export interface Identity {
  readonly userId: string;
  readonly [field: string]: unknown;
}
