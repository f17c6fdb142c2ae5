import type { Inbox } from "@jaf/memory";
import { INBOX_ENGINE, type RunInbox } from "./memory-config.ts";
import type { RunProgress, RunScope } from "./run-scope.ts";
import type { RunState } from "./state.ts";
import type { InboxOptions, InboxWrites } from "./stored/inbox-writes.ts";
import type { Journal } from "./stored/journal.ts";

/** How a run takes what waits in its inbox. */
export interface TakeOptions<Ctx> {
  readonly journal: Journal;
  readonly inbox: InboxWrites;
  /** Whether the run must take the lease before it adds messages. */
  readonly takesLease?: boolean;
  readonly state: RunState<Ctx>;
}

/** What the engine needs to read an inbox. */
// The functions come with `runInbox`, so an application without an inbox doesn't bundle them.
export interface InboxEngine {
  readonly open: (inbox: Inbox, options: InboxOptions) => InboxWrites;
  /** Takes what waits if the run goes on with a model call. Resolves with the progress after that. */
  readonly continueWith: <Ctx>(scope: RunScope<Ctx>, progress: RunProgress<Ctx>) => Promise<RunProgress<Ctx>>;
  /** Resolves with the progress after taking what waits; `undefined` if the run has taken nothing. */
  readonly take: <Ctx>(
    scope: RunScope<Ctx>,
    options: TakeOptions<Ctx>,
  ) => Promise<RunProgress<Ctx> | undefined>;
}

/** Returns what the engine needs to read an inbox; `undefined` if there is no inbox. */
export const inboxEngineOf = (inbox: RunInbox | undefined): InboxEngine | undefined =>
  (inbox as { readonly [INBOX_ENGINE]?: InboxEngine } | undefined)?.[INBOX_ENGINE];
