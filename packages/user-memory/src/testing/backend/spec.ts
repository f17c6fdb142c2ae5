import type { UserMemoryBackend } from "../../backend.ts";

/** What a rule works with. */
export interface BackendScenario {
  /** On an empty store. */
  readonly backend: UserMemoryBackend;
  /** One more backend on the same store; `backend` itself where the store lives in one process. */
  readonly another: () => Promise<UserMemoryBackend>;
}

/** Proves one rule on an empty store; rejects where it is broken. */
export type BackendCheck = (scenario: BackendScenario) => Promise<void>;

/** Rules about one subject, by title. They are data, so that the kit itself can be tested. */
export interface BackendSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, BackendCheck>>;
}
