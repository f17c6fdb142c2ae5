import type {
  FactExplanation,
  ForgetDetails,
  MemoryFinding,
  MemoryReport,
  RemedyOutcome,
  UserFact,
} from "@jaf/user-memory";
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

/** Something that is wrong with facts, and what to do about it. */
export interface FactFinding extends Omit<Serialized<MemoryFinding>, "facts"> {
  /** The facts that the finding is about. */
  readonly facts: readonly Fact[];
}

/** The health of the facts about the user. */
export interface FactReport extends Omit<Serialized<MemoryReport>, "findings"> {
  /** What is wrong. */
  readonly findings: readonly FactFinding[];
}

/** What became of a finding. */
export interface FactRemedyOutcome {
  readonly findingId: string;
  readonly outcome: RemedyOutcome;
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
  /** Examines the facts: what is wrong with them, and remedies. Changes nothing. `asOf`: an ISO 8601 time, default now. */
  readonly examine: (query?: { readonly asOf?: string }, options?: CallOptions) => Promise<FactReport>;
  /**
   * Applies the remedies of findings, 1 to 1,000 ids from `examine` with the same `asOf`. Facts are forgotten only if
   * that is the remedy of a chosen finding. If a fact has changed since, its finding is left alone with outcome
   * `"changed"`.
   */
  readonly applyRemedies: (remedies: {
    readonly findings: readonly string[];
    readonly asOf?: string;
  }) => Promise<{ readonly outcomes: readonly FactRemedyOutcome[] }>;
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
    examine: (query = {}, options) => http.call("/facts/health", { query: { ...query }, ...options }),
    applyRemedies: (body) => http.call("/facts/health", { method: "POST", body }),
    explain: (id, query = {}, options) => http.call(pathOf(id), { query: { ...query }, ...options }),
    review: (id, decision) => http.call(pathOf(id, "/review"), { method: "POST", body: { decision } }),
    forget: (id) => http.call(pathOf(id), { method: "DELETE" }),
    forgetAll: () => http.call("/facts", { method: "DELETE" }),
  };
}
