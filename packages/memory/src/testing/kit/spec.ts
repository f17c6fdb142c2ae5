import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { Level, MemoryCapabilities, Tampering } from "./harness.ts";

/** What a rule gets for its test. */
export interface Scenario {
  /** A provider on an empty store. */
  readonly provider: VersionedMemoryProvider;
  /**
   * Connects another provider to the same storage. Returns `provider` itself if the storage only exists in one process.
   * If the rule's `needs` contain `"process"`, every odd connection is in another process.
   */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** Closes a provider that `connect` returned. Does nothing if `connect` returned `provider` itself. */
  readonly disconnect: (connection: VersionedMemoryProvider) => Promise<void>;
  /**
   * Ends the storage abruptly. Returns a provider on the data that is left. Only for rules whose `requires` contain
   * `"durability"`.
   */
  readonly crash: () => Promise<VersionedMemoryProvider>;
  /** Makes the storage unreachable. Only for rules whose `needs` contain `"stop"`. */
  readonly stop: () => Promise<void>;
  /** Changes stored messages without the provider. Only for rules whose `needs` contain `"tamper"`. */
  readonly tamper: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** Opens another empty store, which is separate from this one. */
  readonly open: () => Promise<Scenario>;
}

/** Tests one rule on an empty store. Rejects if the rule is broken. */
type Check = (scenario: Scenario) => Promise<void>;

/** The details that all rules about one subject share. */
export interface SpecDetails {
  readonly level: Level;
  readonly subject: string;
  /** What happens to an agent's users if a rule of this subject is broken, in one sentence. */
  readonly why: string;
  /** Where to look first in a backend that breaks a rule of this subject. */
  readonly hint: string;
  readonly requires?: readonly (keyof MemoryCapabilities)[];
  /** The optional methods and fields of a `TestStore` that the rules need. */
  readonly needs?: readonly ("stop" | "process" | "tamper")[];
  /** If `true`, the error of a failed rule already lists the calls of the rule, so the report doesn't add them. */
  readonly reportsCalls?: boolean;
  /** If `true`, the rules run at the same time, because they mostly wait (e.g. for an expiry). */
  readonly concurrent?: boolean;
}

/** Rules about one subject, by title. They are plain data, so that the kit itself can be tested. */
export interface Spec extends SpecDetails {
  readonly rules: Readonly<Record<string, Check>>;
}

export const defineSpec = (details: SpecDetails, rules: Spec["rules"]): Spec => ({ ...details, rules });

/** Returns the details of the rules about invalid input. `subject` is the name of the subject. */
export const inputLimits = (subject: string): SpecDetails => ({
  level: "limits",
  subject,
  why: "Input from a request is hostile until it is checked: it must not be half stored, widen a search, crash the process or show up in a log.",
  hint: "Let defineMemoryProvider validate; a backend adds no check and no message of its own.",
});

/** One rule with everything that its report needs. */
export interface Rule extends SpecDetails {
  readonly title: string;
  readonly check: Check;
}

export const rulesOf = ({ rules, ...details }: Spec): readonly Rule[] =>
  Object.entries(rules).map(([title, check]) => ({ ...details, title, check }));
