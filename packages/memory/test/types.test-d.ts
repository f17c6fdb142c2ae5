import { describe, expectTypeOf, it } from "vitest";
import type {
  ConversationMemory,
  InMemoryProvider,
  MemoryConflictReason,
  MemoryErrorUnion,
  MemoryProvider,
  Message,
  Result,
  RichMessage,
  RunId,
  TraceId,
} from "../src/index.ts";
import { createRunId, createTraceId, generateTraceId } from "../src/internal.ts";

describe("ids", () => {
  it("of traces and runs are strings that don't pass for each other", () => {
    expectTypeOf<TraceId>().toExtend<string>();
    expectTypeOf<RunId>().toExtend<string>();
    expectTypeOf<TraceId>().not.toExtend<RunId>();
    expectTypeOf<RunId>().not.toExtend<TraceId>();
    expectTypeOf<string>().not.toExtend<TraceId>();
    expectTypeOf(createTraceId("t")).toEqualTypeOf<TraceId>();
    expectTypeOf(createRunId("r")).toEqualTypeOf<RunId>();
    expectTypeOf(generateTraceId()).toEqualTypeOf<TraceId>();
  });

  it("can't be mixed up in a call", () => {
    const processTrace = (_traceId: TraceId, _runId: RunId) => {};
    // @ts-expect-error the ids are swapped
    void (() => processTrace(createRunId("r"), createTraceId("t")));
  });
});

describe("Message", () => {
  it("has exactly the documented shape", () => {
    expectTypeOf<Message>().toEqualTypeOf<{
      readonly role: "user" | "assistant" | "tool";
      readonly content: string;
      readonly tool_call_id?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: "function";
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }>();
  });

  it("reads as a rich message without a cast, and not the other way round", () => {
    expectTypeOf<Message>().toExtend<RichMessage>();
    expectTypeOf<ConversationMemory["messages"]>().toExtend<readonly RichMessage[]>();
    expectTypeOf<RichMessage>().not.toExtend<Message>();
  });
});

describe("MemoryProvider", () => {
  it("fails with the closed union of errors", () => {
    type Failure = { readonly success: false; readonly error: MemoryErrorUnion };
    expectTypeOf<Result<number>>().toEqualTypeOf<
      { readonly success: true; readonly data: number } | Failure
    >();
    expectTypeOf<MemoryErrorUnion["_tag"]>().toEqualTypeOf<
      | "MemoryConnectionError"
      | "MemoryNotFoundError"
      | "MemoryStorageError"
      | "MemoryConflictError"
      | "MemoryValidationError"
    >();
    expectTypeOf<MemoryConflictReason>().toEqualTypeOf<
      | "version"
      | "metadata-version"
      | "incarnation"
      | "idempotency-key"
      | "owner"
      | "message-id"
      | "length"
      | "lease"
    >();
  });

  it("has the documented results", () => {
    type Returned<M extends keyof MemoryProvider> = Awaited<ReturnType<MemoryProvider[M]>>;
    expectTypeOf<Returned<"storeMessages">>().toEqualTypeOf<Result<void>>();
    expectTypeOf<Returned<"appendMessages">>().toEqualTypeOf<Result<void>>();
    expectTypeOf<Returned<"getConversation">>().toEqualTypeOf<Result<ConversationMemory | null>>();
    expectTypeOf<Returned<"findConversations">>().toEqualTypeOf<Result<ConversationMemory[]>>();
    expectTypeOf<Returned<"getRecentMessages">>().toEqualTypeOf<Result<readonly Message[]>>();
    expectTypeOf<Returned<"deleteConversation">>().toEqualTypeOf<Result<boolean>>();
    expectTypeOf<Returned<"clearUserConversations">>().toEqualTypeOf<Result<number>>();
    expectTypeOf<Returned<"close">>().toEqualTypeOf<Result<void>>();
  });

  it("is what the in-memory provider is, with its event", () => {
    expectTypeOf<InMemoryProvider>().toExtend<MemoryProvider>();
    expectTypeOf<Parameters<InMemoryProvider["on"]>[0]>().toEqualTypeOf<"conversation_evicted">();
    expectTypeOf<Parameters<InMemoryProvider["on"]>[1]>().toEqualTypeOf<(conversationId: string) => void>();
  });
});
