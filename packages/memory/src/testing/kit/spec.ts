import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { Level, MemoryCapabilities, Tampering } from "./harness.ts";

/** The environment of a rule. */
export interface Scenario {
  /** A provider on an empty store. */
  readonly provider: VersionedMemoryProvider;
  /**
   * Connects another provider to the same storage; `provider` itself if the store exists in one process only. For rules
   * that need `process`, the first, third, ... are in the other process.
   */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** Closes a provider from `connect`. Does nothing for a store in one process. */
  readonly disconnect: (connection: VersionedMemoryProvider) => Promise<void>;
  /** Ends the storage abruptly. Returns a provider on the remaining data. For rules that require `durability`. */
  readonly crash: () => Promise<VersionedMemoryProvider>;
  /** Makes the storage unreachable. For rules that need `stop`. */
  readonly stop: () => Promise<void>;
  /** Changes stored data without the provider. For rules that need `tamper`. */
  readonly tamper: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** Opens another empty, separate store. */
  readonly open: () => Promise<Scenario>;
}

/** Checks one rule on an empty store. Rejects if it is broken. */
type Check = (scenario: Scenario) => Promise<void>;

/** The common details of all rules about one subject. */
export interface SpecDetails {
  readonly level: Level;
  readonly subject: string;
  /** The consequence for an agent's users if such a rule is broken, in one sentence. */
  readonly why: string;
  /** Where to look first in a backend. */
  readonly hint: string;
  readonly requires?: readonly (keyof MemoryCapabilities)[];
  /** Optional parts of the harness that the rules need. */
  readonly needs?: readonly ("stop" | "process" | "tamper")[];
  /** If `true`, a failure of the rule already lists the calls before it, so the report doesn't. */
  readonly reportsCalls?: boolean;
  /** If `true`, the rules mostly wait: run them concurrently. */
  readonly concurrent?: boolean;
}

/** Rules about one subject, by title. They are data, so the kit itself can be tested. */
export interface Spec extends SpecDetails {
  readonly rules: Readonly<Record<string, Check>>;
}

export const defineSpec = (details: SpecDetails, rules: Spec["rules"]): Spec => ({ ...details, rules });

/** The details of rules about input that a method must refuse. */
export const inputLimits = (subject: string): SpecDetails => ({
  level: "limits",
  subject,
  why: "Input from a request is hostile until it is checked: it must not be half stored, widen a search, crash the process or show up in a log.",
  hint: "Let defineMemoryProvider validate; a backend adds no check and no message of its own.",
});

/** One rule with all data for its report. */
export interface Rule extends SpecDetails {
  readonly title: string;
  readonly check: Check;
}

export const rulesOf = ({ rules, ...details }: Spec): readonly Rule[] =>
  Object.entries(rules).map(([title, check]) => ({ ...details, title, check }));
