import type { AuditEntry, AuditReport } from "../audit.ts";
import type { UserFact } from "../fact.ts";
import type { UserMemoryOptions } from "../options.ts";
import type { Middleware, RemembersSpec, UserMemoryObserver } from "../run-types.ts";
import { defineUserMemory } from "../store/define-user-memory.ts";
import type {
  ErasureMark,
  ExtractionQueue,
  FactChanges,
  FactExplanation,
  FactReview,
  ForgetReceipt,
  ListOptions,
  RecallOptions,
  RememberOptions,
  UserMemoryStore,
} from "../store.ts";
import { createInMemoryUserMemoryBackend } from "./backend.ts";

/**
 * A user memory that stores facts only in this process, for tests and development. Facts are lost when the process
 * ends. In every other way, it behaves like the stores in Postgres and Redis. The constructor throws a `TypeError` for
 * invalid options.
 *
 * @example
 * ```ts
 * import { MemoryUserMemory } from "@jaf/user-memory";
 *
 * const memory = new MemoryUserMemory();
 * await memory.remember("user-123", "Lives in Rome", { key: "home-city" });
 * await memory.remember("user-123", "Lives in Oslo", { key: "home-city" });
 *
 * const facts = await memory.recall("user-123", "Where does the user live?");
 * console.log(facts[0]?.fact, facts[0]?.trust);
 * await memory.forgetAll("user-123");
 * ```
 */
export class MemoryUserMemory implements UserMemoryStore {
  readonly #store: UserMemoryStore;
  /** The facts that wait for review. */
  readonly review: FactReview;
  /** The queue of extraction jobs. The jobs are lost when the process ends. */
  readonly queue: ExtractionQueue;

  constructor(options: UserMemoryOptions = {}) {
    this.#store = defineUserMemory(createInMemoryUserMemoryBackend(), options);
    this.review = this.#store.review;
    this.queue = this.#store.queue;
  }

  remember(userId: string, fact: string, opts?: RememberOptions): Promise<UserFact> {
    return this.#store.remember(userId, fact, opts);
  }

  recall(userId: string, query: string, opts?: RecallOptions): Promise<UserFact[]> {
    return this.#store.recall(userId, query, opts);
  }

  list(userId: string, opts?: ListOptions): Promise<UserFact[]> {
    return this.#store.list(userId, opts);
  }

  get(userId: string, factId: string): Promise<UserFact | null> {
    return this.#store.get(userId, factId);
  }

  update(userId: string, factId: string, changes: FactChanges): Promise<UserFact | null> {
    return this.#store.update(userId, factId, changes);
  }

  forget(userId: string, factId: string): Promise<ForgetReceipt> {
    return this.#store.forget(userId, factId);
  }

  forgetAll(userId: string): Promise<ForgetReceipt> {
    return this.#store.forgetAll(userId);
  }

  explain(userId: string, factId: string, query?: string): Promise<FactExplanation | null> {
    return this.#store.explain(userId, factId, query);
  }

  audit(userId: string): Promise<AuditEntry[]> {
    return this.#store.audit(userId);
  }

  verifyAudit(userId: string): Promise<AuditReport> {
    return this.#store.verifyAudit(userId);
  }

  mark(userId: string): Promise<ErasureMark> {
    return this.#store.mark(userId);
  }

  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void> {
    return this.#store.drain(options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  middlewareFor<Ctx>(spec: RemembersSpec, observer?: UserMemoryObserver): readonly Middleware<Ctx>[] {
    return this.#store.middlewareFor(spec, observer);
  }
}
