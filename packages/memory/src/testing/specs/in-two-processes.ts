import type { Spec } from "../spec.ts";

/** The same rules, with clients in two processes. */
export const inTwoProcesses = ({ subject, hint, requires = [], ...spec }: Spec): Spec => ({
  ...spec,
  subject: `${subject}, in two processes`,
  hint: `${hint} What one process keeps for itself (a lock, a cache, a counter) decides nothing.`,
  requires: [...new Set([...requires, "multipleConnections" as const])],
  needs: ["process"],
});
