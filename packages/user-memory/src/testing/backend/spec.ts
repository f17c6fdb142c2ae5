import type { UserMemoryBackend } from "../../backend.ts";

/** What the check of a rule gets. */
export interface BackendScenario {
  /** The backend to check, on an empty store. */
  readonly backend: UserMemoryBackend;
  /** Opens another backend on the same store. Returns `backend` itself if the store exists in one process only. */
  readonly another: () => Promise<UserMemoryBackend>;
}

/** Checks one rule on an empty store. Rejects if the backend breaks the rule. */
export type BackendCheck = (scenario: BackendScenario) => Promise<void>;

/** Rules about one subject, by title. The rules are data, so that the test kit itself can be tested. */
export interface BackendSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, BackendCheck>>;
}
