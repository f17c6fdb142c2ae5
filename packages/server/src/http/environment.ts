import type { Identity } from "../identity.ts";

/** What a request has beside itself. */
export interface ServerEnvironment {
  /** Absent where the app is called without a network. */
  readonly Bindings?: {
    /** Breaks the connection of the answer off. Absent: an answer that fails does. */
    readonly cutOff?: () => void;
  };
  readonly Variables: {
    readonly requestId: string;
    readonly identity: Identity;
  };
}
