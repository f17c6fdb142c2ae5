import { describe, expectTypeOf, it } from "vitest";
import {
  createMemoryProvider,
  createMemoryProviderFromEnv,
  createSimpleMemoryProvider,
  type InMemoryProvider,
  type MemoryProvider,
  type MemoryProviderConfig,
  registerMemoryAdapter,
  withFallback,
  withRetry,
} from "../../src/index.ts";
import { notesAdapter } from "./notes-adapter.ts";

interface DiaryProvider extends MemoryProvider {
  readonly lock: () => void;
}

declare module "../../src/index.ts" {
  interface MemoryAdapterTypes {
    diary: {
      readonly config: { readonly type?: "diary"; readonly folder: string; readonly pages?: number };
      readonly client: { readonly pen: string };
      readonly provider: DiaryProvider;
    };
  }
}

describe("createMemoryProvider", () => {
  it("returns the provider of a known type", () => {
    void (() => {
      expectTypeOf(createMemoryProvider({ type: "memory" })).resolves.toEqualTypeOf<InMemoryProvider>();
      const diary = createMemoryProvider({ type: "diary", folder: "x" }, { diary: { pen: "blue" } });
      expectTypeOf(diary).resolves.toEqualTypeOf<DiaryProvider>();
    });
  });

  it("checks configuration and client of a type that is known", () => {
    void (() => {
      // @ts-expect-error a number is needed
      void createMemoryProvider({ type: "memory", maxConversations: "5" });
      // @ts-expect-error there is no such field
      void createMemoryProvider({ type: "memory", maxConversation: 5 });
      // @ts-expect-error a folder is needed
      void createMemoryProvider({ type: "diary" });
      // @ts-expect-error that is no client of a diary
      void createMemoryProvider({ type: "diary", folder: "x" }, { diary: { ink: "blue" } });
      void createMemoryProvider({ type: "memory" }, { diary: undefined, other: 5 });
    });
  });

  it("accepts any configuration of an unknown type or a type from run time", () => {
    void ((type: string, config: MemoryProviderConfig) => {
      const other = createMemoryProvider({ type: "other", anything: [1] }, { other: {} });
      expectTypeOf(other).resolves.toEqualTypeOf<MemoryProvider>();
      expectTypeOf(createMemoryProvider({ type })).resolves.toEqualTypeOf<MemoryProvider>();
      expectTypeOf(createMemoryProvider(config)).resolves.toEqualTypeOf<MemoryProvider>();
      expectTypeOf(createMemoryProviderFromEnv({ other: {} })).resolves.toEqualTypeOf<MemoryProvider>();
      // @ts-expect-error a type is needed
      void createMemoryProvider({ anything: 1 });
    });
  });
});

describe("createSimpleMemoryProvider", () => {
  it("knows the client and the fields of a type", () => {
    void (() => {
      expectTypeOf(createSimpleMemoryProvider("memory")).resolves.toEqualTypeOf<InMemoryProvider>();
      const diary = createSimpleMemoryProvider("diary", { pen: "blue" }, { folder: "x" });
      expectTypeOf(diary).resolves.toEqualTypeOf<DiaryProvider>();
      // @ts-expect-error a number is needed
      void createSimpleMemoryProvider("diary", undefined, { folder: "x", pages: "1" });
      const other = createSimpleMemoryProvider("other", {}, { anything: 1 });
      expectTypeOf(other).resolves.toEqualTypeOf<MemoryProvider>();
    });
  });
});

describe("wrappers and adapters", () => {
  it("keep the type of what they wrap", () => {
    void ((diary: DiaryProvider, other: MemoryProvider) => {
      expectTypeOf(withRetry(diary)).toEqualTypeOf<DiaryProvider>();
      expectTypeOf(withFallback(diary, other)).toEqualTypeOf<DiaryProvider>();
    });
  });

  it("register with a configuration and client of their own", () => {
    void (() => expectTypeOf(registerMemoryAdapter(notesAdapter())).toEqualTypeOf<() => void>());
  });
});
