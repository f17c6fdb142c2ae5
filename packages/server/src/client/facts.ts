import type { FactExplanation, ForgetDetails, UserFact } from "@jaf/user-memory";
import type { CallOptions, Http, Serialized } from "./http.ts";

/** A fact about the user: a `UserFact` of `@jaf/user-memory` with dates as ISO 8601 strings. */
export interface Fact extends Serialized<UserFact> {}

/** What `forget` or `forgetAll` erased. */
export interface FactReceipt extends Serialized<ForgetDetails> {}

/** Where a fact comes from, and why a query finds this fact. */
export interface ExplainedFact extends Omit<Serialized<FactExplanation>, "fact" | "supersedes"> {
  readonly fact: Fact;
  /** The earlier facts that this fact superseded, newest first. */
  readonly supersedes: readonly Fact[];
}

/** Lists and changes the facts about the user. */
export interface FactMethods {
  /** Returns facts about the user. `status`: default `"active"`. `limit`: 1 to 1,000 facts, default 200. */
  readonly list: (
    query?: { readonly status?: Fact["status"]; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<{ readonly facts: readonly Fact[] }>;
  /** Stores a new fact about the user: 1 to 2,000 characters, with up to 20 tags. */
  readonly add: (fact: {
    readonly fact: string;
    readonly tags?: readonly string[];
  }) => Promise<{ readonly fact: Fact }>;
  /** Returns where a fact comes from. With a query, the explanation says why recall finds this fact for the query. */
  readonly explain: (
    factId: string,
    query?: { readonly query?: string },
    options?: CallOptions,
  ) => Promise<{ readonly explanation: ExplainedFact }>;
  /** Approves or rejects a quarantined fact. Returns the approved fact, or `rejected: true`. */
  readonly review: (
    factId: string,
    decision: "approve" | "reject",
  ) => Promise<{ readonly fact: Fact } | { readonly rejected: true }>;
  /** Erases a fact permanently. Rejects with code `"not-found"` if the user has no such fact. */
  readonly forget: (factId: string) => Promise<FactReceipt>;
  /** Erases all facts about the user permanently. */
  readonly forgetAll: () => Promise<FactReceipt>;
}

export function factMethods(http: Http): FactMethods {
  const pathOf = (factId: string, rest = "") => `/facts/${encodeURIComponent(factId)}${rest}`;
  return {
    list: (query = {}, options) => http.call("/facts", { query: { ...query }, ...options }),
    add: (body) => http.call("/facts", { method: "POST", body }),
    explain: (id, query = {}, options) => http.call(pathOf(id), { query: { ...query }, ...options }),
    review: (id, decision) => http.call(pathOf(id, "/review"), { method: "POST", body: { decision } }),
    forget: (id) => http.call(pathOf(id), { method: "DELETE" }),
    forgetAll: () => http.call("/facts", { method: "DELETE" }),
  };
}
