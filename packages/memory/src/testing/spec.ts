import type { MemoryProvider } from "../provider.ts";
import type { MemoryCapabilities } from "./harness.ts";

/** What a rule works with. */
export interface Scenario {
  /** On an empty store. */
  readonly provider: MemoryProvider;
  /** One more provider on the same storage; `provider` itself if the store lives in one process. */
  readonly connect: () => Promise<MemoryProvider>;
  /** Closes what `connect` opened, and nothing for a store that lives in one process. */
  readonly disconnect: (connection: MemoryProvider) => Promise<void>;
}

/** Proves one rule on an empty store; rejects where it is broken. */
export type Check = (scenario: Scenario) => Promise<void>;

/** Rules about one subject, by title. They are data, so that the kit itself can be tested. */
export interface Spec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, Check>>;
  readonly requires?: keyof MemoryCapabilities;
  /** The rules mostly wait: run them side by side. */
  readonly concurrent?: boolean;
}

export const defineSpec = (
  subject: string,
  rules: Spec["rules"],
  options: Pick<Spec, "requires" | "concurrent"> = {},
): Spec => ({ subject, rules, ...options });
