import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { Level, MemoryCapabilities, Tampering } from "./harness.ts";

/** What a rule works with. */
export interface Scenario {
  /** On an empty store. */
  readonly provider: VersionedMemoryProvider;
  /**
   * One more provider on the same storage; `provider` itself if the store lives in one process. For rules that need
   * `process`: the first, third, ... in the other process.
   */
  readonly connect: () => Promise<VersionedMemoryProvider>;
  /** Closes what `connect` opened, and nothing for a store that lives in one process. */
  readonly disconnect: (connection: VersionedMemoryProvider) => Promise<void>;
  /** Ends the storage abruptly; a provider on what is left. For rules that require `durability`. */
  readonly crash: () => Promise<VersionedMemoryProvider>;
  /** Puts the storage out of reach. For rules that need `stop`. */
  readonly stop: () => Promise<void>;
  /** Changes what is stored, past the provider. For rules that need `tamper`. */
  readonly tamper: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** One more store, empty and apart from this one. */
  readonly open: () => Promise<Scenario>;
}

/** Proves one rule on an empty store; rejects where it is broken. */
type Check = (scenario: Scenario) => Promise<void>;

/** What holds for all rules about one subject. */
export interface SpecDetails {
  readonly level: Level;
  readonly subject: string;
  /** What users of an agent suffer when such a rule is broken, in one sentence. */
  readonly why: string;
  /** Where in a backend to look first. */
  readonly hint: string;
  readonly requires?: readonly (keyof MemoryCapabilities)[];
  /** What the harness may leave out, and the rules can't do without. */
  readonly needs?: readonly ("stop" | "process" | "tamper")[];
  /** What breaks such a rule names the calls before it, so that the report doesn't. */
  readonly reportsCalls?: boolean;
  /** The rules mostly wait: run them side by side. */
  readonly concurrent?: boolean;
}

/** Rules about one subject, by title. They are data, so that the kit itself can be tested. */
export interface Spec extends SpecDetails {
  readonly rules: Readonly<Record<string, Check>>;
}

export const defineSpec = (details: SpecDetails, rules: Spec["rules"]): Spec => ({ ...details, rules });

/** The details of rules about what a method has to refuse. */
export const inputLimits = (subject: string): SpecDetails => ({
  level: "limits",
  subject,
  why: "Input from a request is hostile until it is checked: it must not be half stored, widen a search, crash the process or show up in a log.",
  hint: "Let defineMemoryProvider validate; a backend adds no check and no message of its own.",
});

/** One rule with all that a report of it says. */
export interface Rule extends SpecDetails {
  readonly title: string;
  readonly check: Check;
}

export const rulesOf = ({ rules, ...details }: Spec): readonly Rule[] =>
  Object.entries(rules).map(([title, check]) => ({ ...details, title, check }));
