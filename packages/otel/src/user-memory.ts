import { extendObject } from "@jaf/memory/internal";
import type { MemoryEntry, UserFact, UserMemory, UserMemoryStore } from "@jaf/user-memory";
import { type Attributes, context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { GEN_AI, JAF } from "./conventions.ts";
import { errorTypeOfThrown } from "./error-type.ts";
import { set } from "./metrics.ts";
import type { Scope } from "./scope.ts";

/** A user memory without its link to runs, which `setUserMemory` or `asUserMemory` makes again. */
export type Observed<M extends UserMemory> = Omit<M, "middlewareFor">;

/** The method that only a store of `@jaf/user-memory` has. */
interface Updating {
  readonly update?: UserMemoryStore["update"];
}

/** Wraps a user memory: each operation that stores, finds or deletes facts gets a span. */
export function observedUserMemory<M extends UserMemory>(scope: Scope, memory: M): Observed<M> {
  const own: UserMemory & Updating = extendObject<UserMemory>(memory, {});
  const { remember, recall, forget, list, forgetAll, update } = own;
  const stored = (fact: MemoryEntry | UserFact | null): Attributes => {
    if (fact === null) return {};
    countQuarantined(scope, fact);
    return set({ [GEN_AI.memoryRecordId]: fact.id, [GEN_AI.memoryRecords]: recordsOf(scope, [fact]) });
  };
  const found = (facts: readonly MemoryEntry[]): Attributes =>
    set({ [GEN_AI.memoryRecordCount]: facts.length, [GEN_AI.memoryRecords]: recordsOf(scope, facts) });
  const ofId = (_: string, id: string): Attributes => ({ [GEN_AI.memoryRecordId]: id });
  const observed =
    <Args extends readonly unknown[], T>(
      method: (...args: Args) => Promise<T>,
      { operation, before, after }: Observing<Args, T>,
    ) =>
    (...args: Args): Promise<T> =>
      observe(scope, { operation, attributes: before?.(...args) ?? {}, after }, () => method(...args));
  const ofQuery = (_: string, query: string): Attributes =>
    scope.content ? { [GEN_AI.memoryQuery]: query } : {};
  const one = (): Attributes => ({ [GEN_AI.memoryRecordCount]: 1 });
  const copy = extendObject(memory, {
    remember: observed(remember, { operation: "upsert_memory", before: one, after: stored }),
    recall: observed(recall, { operation: "search_memory", before: ofQuery, after: found }),
    list: observed(list, { operation: "list_memory", after: found }),
    forget: observed(forget, { operation: "delete_memory", before: ofId }),
    ...(forgetAll && { forgetAll: observed(forgetAll, { operation: "delete_memory" }) }),
    ...(update && {
      update: observed(update, { operation: "update_memory", before: ofId, after: stored }),
    }),
  });
  // Its middleware would call the user memory inside, whose calls have no spans.
  Reflect.deleteProperty(copy, "middlewareFor");
  return copy;
}

interface Observing<Args extends readonly unknown[], T> {
  readonly operation: string;
  /** Returns attributes for the arguments. */
  readonly before?: (...args: Args) => Attributes;
  /** Returns attributes for the result. */
  readonly after?: ((result: T) => Attributes) | undefined;
}

interface Operation<T> {
  readonly operation: string;
  readonly attributes: Attributes;
  readonly after: ((result: T) => Attributes) | undefined;
}

async function observe<T>(
  scope: Scope,
  { operation, attributes, after }: Operation<T>,
  call: () => Promise<T>,
): Promise<T> {
  const within = context.active();
  const labels = { [GEN_AI.operation]: operation };
  const span = scope.tracer.startSpan(
    operation,
    { kind: SpanKind.INTERNAL, attributes: { ...labels, ...attributes } },
    within,
  );
  const start = performance.now();
  let failure: Attributes = {};
  try {
    const result = await context.with(trace.setSpan(within, span), call);
    if (after !== undefined) span.setAttributes(after(result));
    return result;
  } catch (thrown) {
    failure = { [GEN_AI.errorType]: errorTypeOfThrown(thrown) };
    span.setAttributes(failure).setStatus({ code: SpanStatusCode.ERROR });
    throw thrown;
  } finally {
    span.end();
    const seconds = (performance.now() - start) / 1000;
    scope.instruments().memoryDuration.record(seconds, { [JAF.memoryOperation]: operation, ...failure });
  }
}

function countQuarantined(scope: Scope, fact: MemoryEntry | UserFact): void {
  if (!("status" in fact) || fact.status !== "quarantined") return;
  const reason = set({ [JAF.quarantineReason]: fact.quarantine });
  scope.instruments().quarantinedFacts.add(1, reason);
}

const recordsOf = ({ content }: Scope, facts: readonly MemoryEntry[]): string | undefined =>
  content ? JSON.stringify(facts.map(({ id, fact, score }) => ({ id, content: fact, score }))) : undefined;
