import type { Identity } from "../identity.ts";

/** What a request has beside itself. */
export interface ServerEnvironment {
  readonly Variables: {
    readonly requestId: string;
    readonly identity: Identity;
  };
}
