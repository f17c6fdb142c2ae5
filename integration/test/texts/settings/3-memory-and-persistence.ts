import type { Setting } from "../modules.ts";

const memberOfAgent: Setting = { as: { memberOf: "class ChatAgent extends Agent" } };

export const memoryAndPersistence: Readonly<Record<string, Setting>> = {
  "store-contract": {
    as: "types",
    claims: `
      assertType<Assignable<ConversationStore, Spec.ConversationStore>>();
      assertType<Assignable<Spec.ConversationStore, ConversationStore>>();`,
  },
  sanitized: {
    as: { memberOf: "abstract class SanitizingStore extends OwnStore" },
    claims: "assertType<Assignable<SanitizingStore, ConversationStore>>();",
  },
  "async-user": memberOfAgent,
  "history-limit": memberOfAgent,
  "user-memory-contract": {
    as: "types",
    claims: `
      assertType<Assignable<UserMemory, Spec.UserMemory>>();
      assertType<Assignable<MemoryUserMemory, Spec.UserMemory>>();
      assertType<Assignable<Spec.UserMemory, UserMemory>>();`,
  },
};
