import type { Setting } from "../modules.ts";

const onPostgres: Setting = {
  declares: `import type { PostgresProvider } from "@jaf/memory-postgres"; declare const provider: PostgresProvider;`,
};

export const memorySystem: Readonly<Record<string, Setting>> = {
  "core-types": {
    as: "types",
    claims: `
      assertType<Assignable<ConversationMemory, Spec.ConversationMemory>>();
      assertType<Assignable<Spec.ConversationMemory, ConversationMemory>>();
      assertType<Assignable<MemoryProvider, Spec.MemoryProvider>>();
      assertType<Assignable<Spec.MemoryProvider, MemoryProvider>>();
      assertType<Same<keyof MemoryProvider, keyof Spec.MemoryProvider>>();`,
  },
  result: { as: "types", claims: "assertType<Same<Spec.Result<string>, Result<string>>>();" },
  analytics: onPostgres,
  "auto-store": {
    claims: `assertType<Assignable<Block["runConfig"], Partial<RunConfig<object>>>>();`,
  },
  limits: {
    claims: `assertType<Assignable<Block["config"], Partial<RunConfig<object>>>>();`,
  },
};
