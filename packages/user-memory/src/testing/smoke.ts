/** Titles of rules, by subject. */
export type Smoke = Readonly<Record<string, readonly string[]>>;

/**
 * The smoke rules for backends: each method and option once, and everything that can differ between client libraries or kinds of
 * connections: types and sizes of replies, transactions, scripts and several connections.
 */
export const BACKEND_SMOKE: Smoke = {
  commit: [
    "refuses another version, older or newer, and then writes nothing at all",
    "adds, changes, drops, adds and removes tombstones in one step",
    "takes many large facts in one step",
  ],
  read: [
    "selects by each kind of name, whatever the status",
    "selects a thousand facts at once, and tombstones with them",
    "sees head, facts and tombstones of one version while others write",
  ],
  values: [
    "of text are kept to the character",
    "of numbers are kept to the last digit",
    "that are absent stay absent, and empty ones empty",
    "of vectors are kept in single precision",
  ],
  list: ["gives one page after the other, each fact once"],
  match: ["gives every fact that holds any of the terms, with those terms and their context"],
  nearest: ["finds the nearest few of many"],
  audit: ["gives the whole trail, the oldest first, however long"],
  users: ["may have any id"],
  "concurrent commits": [
    "of 16 writers that try again all get through, nothing lost and nothing doubled",
    "show in whole to every client as soon as they are done",
  ],
  erase: ["while 8 writers commit leaves nothing of theirs, and counts each fact that was"],
  jobs: [
    "are handed out when their lease is over, and not before",
    "are kept with their text as it is",
    "are gone for good when they are complete",
    "that are released wait for their time, sooner or later than their lease",
  ],
  leases: ["to 8 at once never give one job to two"],
  errors: ["name the operation and the backend, and repeat nothing of what was stored"],
  "random operations": ["have the outcomes that the in-memory reference has (seed 1)"],
};

/** The smoke rules for user memories. They test code that is the same for all backends. */
export const STORE_SMOKE: Smoke = {
  remember: ["keeps everything that it is told", "puts into quarantine what it is told to, for that reason"],
  quotations: ["are found by their question and by paraphrases, which nobody is shown"],
  "what held at a time": ["is recalled as of that time"],
  recall: [
    "gives 10 facts, or as many as asked for",
    "gives facts with at least one of the tags",
    "leaves out what is trusted less than asked for",
  ],
  "recall by meaning": ["finds by words and by meaning together"],
  "list and get": ["give facts with at least one of the tags, and count only those"],
  update: [
    "changes what it is told, and nothing else",
    "with a new text is the user's new statement, found by its own words",
  ],
  forget: ["deletes a fact, and says so"],
  forgetAll: ["refuses what is remembered since a mark from before"],
  review: ["makes what is approved active, confirmed and found", "forgets what is rejected, for good"],
  explain: ["says why a query finds a fact, at which place, and where it comes from"],
  audit: ["is whole after all that one may do, also with a key, in every process"],
  queue: [
    "hands out again, whole, what was released and what nobody finished",
    "hands each job to one of several processes",
  ],
  "drain and close": [
    "have nothing to wait for where nothing is under way",
    "leave a store with another connection at work",
  ],
  "many at once": ["of 16 writers in two processes lose nothing, and leave the trail whole"],
  "forgetAll at work": ["while 8 write and 8 extract leaves nothing of the user anywhere"],
};

interface AnySpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, unknown>>;
}

/** Filters the rules of a smoke. */
export const smokeOf = <Spec extends AnySpec>(specs: readonly Spec[], smoke: Smoke): readonly Spec[] =>
  specs.flatMap((spec) => {
    const rules = Object.entries(spec.rules).filter(([title]) => smoke[spec.subject]?.includes(title));
    return rules.length === 0 ? [] : [{ ...spec, rules: Object.fromEntries(rules) }];
  });

/** Returns the suffix for the titles of a smoke. */
export const extentOf = (rules: "all" | "smoke" = "all"): string =>
  rules === "smoke" ? " (a smoke, which proves no conformance)" : "";
