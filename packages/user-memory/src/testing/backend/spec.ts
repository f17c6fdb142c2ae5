import type { UserMemoryBackend } from "../../backend.ts";

/** The input of a rule. */
export interface BackendScenario {
  /** A backend on an empty store. */
  readonly backend: UserMemoryBackend;
  /** Opens another backend on the same store; `backend` itself if the store is in one process. */
  readonly another: () => Promise<UserMemoryBackend>;
}

/** Checks one rule on an empty store. Rejects if the backend breaks it. */
export type BackendCheck = (scenario: BackendScenario) => Promise<void>;

/** Rules about one subject, by title. They are data, so the kit itself can be tested. */
export interface BackendSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, BackendCheck>>;
}
