import type { FactExplanation, ForgetDetails, UserFact } from "@jaf/user-memory";
import type { CallOptions, Http, Serialized } from "./http.ts";

export type Fact = Serialized<UserFact>;

export type FactReceipt = Serialized<ForgetDetails>;

export type ExplainedFact = Serialized<FactExplanation>;

export interface FactMethods {
  /** Returns facts about the user. Default status: `"active"`. */
  readonly list: (
    query?: { readonly status?: Fact["status"]; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<{ readonly facts: readonly Fact[] }>;
  readonly add: (fact: {
    readonly fact: string;
    readonly tags?: readonly string[];
  }) => Promise<{ readonly fact: Fact }>;
  /** Returns where a fact comes from. With a query, also why recall finds the fact. */
  readonly explain: (
    factId: string,
    query?: { readonly query?: string },
    options?: CallOptions,
  ) => Promise<{ readonly explanation: ExplainedFact }>;
  /** Approves or rejects a quarantined fact. */
  readonly review: (
    factId: string,
    decision: "approve" | "reject",
  ) => Promise<{ readonly fact: Fact } | { readonly rejected: true }>;
  /** Erases a fact permanently. */
  readonly forget: (factId: string) => Promise<FactReceipt>;
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
