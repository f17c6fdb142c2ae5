import type { Journal } from "../memory/journal.ts";
import { loadedFrom } from "../memory/tail.ts";
import type { Source } from "./history.ts";

/** What a stored conversation is made of by now. */
export function storedSource(journal: Journal): Source {
  const { stored, said } = journal.history();
  const loaded = stored?.messages ?? [];
  return {
    source: () => (said.length === 0 ? loaded : [...loaded, ...said]),
    ...loadedFrom(stored),
  };
}
