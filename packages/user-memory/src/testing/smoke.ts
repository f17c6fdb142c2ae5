/** The titles of smoke rules, by subject. Smoke rules are a small selection of the rules, for a quick test. */
export type Smoke = Readonly<Record<string, readonly string[]>>;

/** The smoke rules for backends. They use each method and option once. */
// They use everything that can differ between client libraries or kinds of connections: types and sizes of replies,
// transactions, scripts and several connections.
export const BACKEND_SMOKE: Smoke = {
  commit: [
    "refuses an older or newer version and writes nothing",
    "adds, changes, drops, adds and removes tombstones in one step",
    "writes many large facts in one step",
  ],
  read: [
    "selects by each field, for any status",
    "selects a thousand facts and tombstones in one call",
    "returns head, facts and tombstones of one version while others write",
  ],
  values: [
    "of text are stored exactly",
    "of numbers are stored exactly",
    "that are absent stay absent, and empty ones stay empty",
    "of vectors are stored at least in single precision",
  ],
  list: ["returns each fact once over all pages"],
  match: ["returns every fact with any of the terms, with these terms and its context"],
  nearest: ["finds the nearest of many facts"],
  audit: ["returns the whole trail of any length, oldest first"],
  users: ["can have any id"],
  "concurrent commits": [
    "by 16 retrying writers all succeed, each exactly once",
    "are completely visible to every client when they are done",
  ],
  erase: ["deletes and counts every fact while 8 writers commit"],
  jobs: [
    "are leased again when their lease has expired, not before",
    "keep their text unchanged",
    "are deleted when they are complete",
    "that are released wait for their delay, shorter or longer than their lease",
  ],
  leases: ["by 8 clients at the same time never return a job twice"],
  errors: ["name the operation and the backend, without stored content"],
  "random operations": ["have the outcomes that the in-memory reference has (seed 1)"],
};

/** The smoke rules for user memories. */
// They are few, because the code that they test is the same for all backends.
export const STORE_SMOKE: Smoke = {
  remember: ["stores all options", "quarantines a fact for the given reason"],
  quotations: ["are found by their question and by paraphrases, which are never shown"],
  "facts over time": ["are recalled as of a time"],
  recall: [
    "returns 10 facts, or the given limit",
    "returns facts with at least one of the tags",
    "excludes facts below the minimum trust",
  ],
  "recall by meaning": ["finds facts by words and by meaning"],
  "list and get": ["return and count only facts with at least one of the tags"],
  update: [
    "changes only the given fields",
    "with a new text makes it a new statement, found by its own words",
  ],
  forget: ["deletes a fact and returns the counts"],
  forgetAll: ["refuses a write with a mark from before"],
  review: ["makes an approved fact active, confirmed and found", "forgets a rejected fact for good"],
  explain: ["returns why a query finds a fact, its rank and its source"],
  audit: ["is valid after every kind of change, also with a key, in every process"],
  queue: [
    "leases released and unfinished jobs again, complete",
    "leases each job to one of several processes",
  ],
  "drain and close": [
    "resolve immediately if no work is running",
    "don't affect a store with another connection",
  ],
  "concurrent calls": ["by 16 writers in two processes lose nothing and keep the trail valid"],
  "forgetAll during writes": ["leaves no data of the user while 8 clients write and 8 extract"],
};

interface AnySpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, unknown>>;
}

/** Returns only those rules whose titles are in `smoke`. */
export const smokeOf = <Spec extends AnySpec>(specs: readonly Spec[], smoke: Smoke): readonly Spec[] =>
  specs.flatMap((spec) => {
    const rules = Object.entries(spec.rules).filter(([title]) => smoke[spec.subject]?.includes(title));
    return rules.length === 0 ? [] : [{ ...spec, rules: Object.fromEntries(rules) }];
  });

/** Returns a note for the titles of the tests if they only check smoke rules. Returns `""` if they check all rules. */
export const extentOf = (rules: "all" | "smoke" = "all"): string =>
  rules === "smoke" ? " (a smoke, which proves no conformance)" : "";
