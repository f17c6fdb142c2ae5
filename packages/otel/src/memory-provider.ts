import type { MemoryErrorUnion, MemoryProvider, Result, VersionedMemoryProvider } from "@jaf/memory";
import { extendObject, versionedMethods } from "@jaf/memory/internal";
import { type Attributes, context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { GEN_AI, JAF } from "./conventions.ts";
import { conflictReason, errorTypeOfThrown } from "./error-type.ts";
import { set } from "./metrics.ts";
import type { Scope } from "./scope.ts";

/** Wraps a memory provider: each call of its methods except `close` and `healthCheck` gets a span. */
export function observedMemoryProvider<P extends MemoryProvider>(scope: Scope, provider: P): P {
  const own = extendObject<MemoryProvider>(provider, {});
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(provider);
  /** `describe` returns the span's attributes for the arguments. */
  const observed =
    <Args extends readonly unknown[], R extends Result<unknown>>(
      operation: string,
      method: (...args: Args) => Promise<R>,
      describe: (...args: Args) => Attributes = () => ({}),
    ) =>
    (...args: Args): Promise<R> =>
      observe(scope, { operation, attributes: describe(...args) }, () => method(...args));
  const ofConversation = (id: string): Attributes => ({ [GEN_AI.conversationId]: id });
  const ofMessages = (id: string, messages: readonly unknown[]): Attributes =>
    set({ ...ofConversation(id), [JAF.messageCount]: messages?.length });
  return extendObject(provider, {
    storeMessages: observed("storeMessages", own.storeMessages, ofMessages),
    appendMessages: observed("appendMessages", own.appendMessages, ofMessages),
    getConversation: observed("getConversation", own.getConversation, ofConversation),
    getRecentMessages: observed("getRecentMessages", own.getRecentMessages, ofConversation),
    deleteConversation: observed("deleteConversation", own.deleteConversation, ofConversation),
    findConversations: observed("findConversations", own.findConversations),
    clearUserConversations: observed("clearUserConversations", own.clearUserConversations),
    getStats: observed("getStats", own.getStats),
    ...(readConversation && {
      readConversation: observed("readConversation", readConversation, ofConversation),
    }),
    ...(exportConversation && {
      exportConversation: observed("exportConversation", exportConversation, ofConversation),
    }),
    ...(importConversation && { importConversation: observed("importConversation", importConversation) }),
    ...(verifyConversation && {
      verifyConversation: observed("verifyConversation", verifyConversation, ofConversation),
    }),
  } satisfies Partial<VersionedMemoryProvider>);
}

interface Operation {
  readonly operation: string;
  readonly attributes: Attributes;
}

async function observe<R extends Result<unknown>>(
  scope: Scope,
  { operation, attributes }: Operation,
  call: () => Promise<R>,
): Promise<R> {
  const within = context.active();
  const labels = { [JAF.memoryOperation]: operation };
  // The conventions' memory operations are about facts, so conversations have names of our own.
  const span = scope.tracer.startSpan(
    `memory ${operation}`,
    { kind: SpanKind.INTERNAL, attributes: { ...labels, ...attributes } },
    within,
  );
  const start = performance.now();
  const end = (failure: Attributes): void => {
    if (GEN_AI.errorType in failure) span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttributes(failure);
    span.end();
    scope.instruments().memoryDuration.record((performance.now() - start) / 1000, { ...labels, ...failure });
  };
  try {
    const result = await context.with(trace.setSpan(within, span), call);
    end(result.success ? {} : failureOf(result.error));
    return result;
  } catch (thrown) {
    end({ [GEN_AI.errorType]: errorTypeOfThrown(thrown) });
    throw thrown;
  }
}

const failureOf = (error: MemoryErrorUnion): Attributes =>
  set({ [GEN_AI.errorType]: error._tag, [JAF.conflictReason]: conflictReason(error) });
