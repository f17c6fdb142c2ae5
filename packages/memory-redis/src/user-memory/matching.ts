import type { Matches, UserKey } from "@jaf/user-memory/adapter";
import { list, number, text } from "../decoding.ts";
import { CONTEXTS_PER_FIELD, decodeContexts } from "./contexts.ts";
import type { UserMemoryIo } from "./io.ts";

const SEMICOLON = 59;
const COLON = 58;
const ZERO = 48;

/** Calls with each `;<seq>:<weight>` of a text: read by hand, since there may be hundreds of thousands. */
function eachPosting(records: string, use: (seq: number, weight: number) => void): void {
  let seq = 0;
  let value = 0;
  for (let at = 1; at <= records.length; at++) {
    const code = at === records.length ? SEMICOLON : records.charCodeAt(at);
    if (code === SEMICOLON) use(seq, value);
    else if (code === COLON) seq = value;
    if (code === SEMICOLON || code === COLON) value = 0;
    else value = value * 10 + code - ZERO;
  }
}

/** Facts by their terms. */
export function createMatching({ run, keys }: UserMemoryIo) {
  return async (user: UserKey, given: readonly string[]): Promise<Matches> => {
    const { postings, contexts } = keys.of(user);
    const terms = [...new Set(given)];
    const args = [CONTEXTS_PER_FIELD, ...terms];
    const reply = list(await run("match", { keys: [postings, contexts], args }));
    const documents = decodeContexts(list(reply[1]).map(text).join(""));
    for (const [at, term] of terms.entries()) {
      eachPosting(text(reply[at + 2]), (seq, weight) => documents.get(seq)?.terms.push({ term, weight }));
    }
    return {
      size: number(reply[0]),
      documents: [...documents.values()].filter(({ terms }) => terms.length > 0),
    };
  };
}
