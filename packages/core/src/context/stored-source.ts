import type { Journal } from "../memory/run-journal.ts";
import { loadedFrom } from "../memory/tail-reading.ts";
import type { Source } from "./history.ts";

/** The messages of a stored conversation: those that were loaded, and those that the run has added since. */
export function storedSource(journal: Journal): Source {
  const { stored, added } = journal.history();
  const loaded = stored?.messages ?? [];
  return {
    source: () => (added.length === 0 ? loaded : [...loaded, ...added]),
    ...loadedFrom(stored),
  };
}
