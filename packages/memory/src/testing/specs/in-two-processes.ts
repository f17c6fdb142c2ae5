import type { Spec } from "../spec.ts";

/** What another rule tries as well: an answer from another process costs time. */
const LEFT_OUT: readonly string[] = ["keep all 640 single messages of 32 writers"];

/** The same rules, with clients in two processes. */
export const inTwoProcesses = ({ subject, hint, rules, requires = [], ...spec }: Spec): Spec => ({
  ...spec,
  rules: Object.fromEntries(Object.entries(rules).filter(([title]) => !LEFT_OUT.includes(title))),
  subject: `${subject}, in two processes`,
  hint: `${hint} What one process keeps for itself (a lock, a cache, a counter) decides nothing.`,
  requires: [...new Set([...requires, "multipleConnections" as const])],
  needs: ["process"],
});
