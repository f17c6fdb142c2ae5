import type { Setting } from "../modules.ts";

export const coreConcepts: Readonly<Record<string, Setting>> = {
  "run-state": {
    as: "types",
    claims: "assertType<Same<Spec.RunState<{ a: 1 }>, RunState<{ a: 1 }>>>();",
  },
  // What a model provider gets is the text's agent. An application may give instructions of other kinds, too, and
  // what the third text declares on an agent.
  "agent-type": {
    as: "types",
    claims: `
      type AlsoDeclared = "cacheable" | "conversational" | "middleware" | "remembers";
      assertType<Same<Spec.Agent<MyContext, number>, Omit<ResolvedAgent<MyContext, number>, AlsoDeclared>>>();
      assertType<Assignable<Spec.Agent<MyContext, number>, Agent<MyContext, number>>>();`,
  },
  "tool-type": {
    as: "types",
    claims: `
      type Args = { query: string };
      assertType<Same<Spec.Tool<Args, MyContext>["schema"], Tool<Args, MyContext>["schema"]>>();
      assertType<Assignable<Spec.Tool<Args, MyContext>, Tool<Args, MyContext>>>();
      assertType<Assignable<Tool<Args, MyContext>, Spec.Tool<Args, MyContext>>>();`,
  },
  "tool-result-type": {
    as: "types",
    claims: "assertType<Same<Spec.ToolResult<number>, ToolResult<number>>>();",
  },
  "tool-results": {
    as: "alternatives",
    claims: "export const all: readonly (() => Promise<string | ToolResult>)[] = alternatives;",
  },
  "run-config-type": {
    as: "types",
    claims: `
      type Guarded = "initialInputGuardrails" | "finalOutputGuardrails";
      type Documented = Pick<RunConfig<MyContext>, keyof Spec.RunConfig<MyContext>>;
      assertType<Same<Omit<Spec.RunConfig<MyContext>, Guarded>, Omit<Documented, Guarded>>>();
      assertType<Assignable<Spec.RunConfig<MyContext>, RunConfig<MyContext>>>();
      assertType<Assignable<RunConfig<MyContext>, Spec.RunConfig<MyContext>>>();`,
  },
  "event-handling": { leftOut: ["// ... other config", "...otherConfig,"] },
  "message-type": { as: "types", claims: "assertType<Same<Spec.Message, Message>>();" },
  "message-immutability": { refused: "365: TS2339" },
  "id-types": {
    as: "types",
    claims: "assertType<Same<Spec.TraceId, TraceId>>(); assertType<Same<Spec.RunId, RunId>>();",
  },
  "branded-ids": { refused: "388: TS2345" },
  // Every documented event is one of ours, and ours can be read as documented.
  "trace-event-type": {
    as: "types",
    claims: `
      assertType<Assignable<Spec.TraceEvent, TraceEvent>>();
      type Documented = Extract<TraceEvent, { readonly type: Spec.TraceEvent["type"] }>;
      assertType<Assignable<Documented, Spec.TraceEvent>>();`,
  },
  "error-type": {
    as: "types",
    claims: `assertType<Same<Spec.JAFError, Extract<JAFError, { _tag: Spec.JAFError["_tag"] }>>>();`,
  },
  "error-classification": {
    claims: `assertType<Same<Block["severity"], "low" | "medium" | "high" | "critical">>();`,
  },
  // A run that waits for an approval is a third outcome; code that knows of two takes it for an error.
  "run-result-type": {
    as: "types",
    claims: `
      assertType<Same<Spec.RunResult<number>["finalState"], RunResult<number>["finalState"]>>();
      type Known = Exclude<RunResult<number>["outcome"], { status: "interrupted" }>;
      assertType<Same<Spec.RunResult<number>["outcome"], Known>>();`,
  },
  "validation-result-type": {
    as: "types",
    claims: "assertType<Same<Spec.ValidationResult, ValidationResult>>();",
  },
  "memory-provider-type": {
    as: "types",
    claims: "assertType<Assignable<MemoryProvider, Spec.MemoryProvider>>();",
  },
  "memory-config-type": {
    as: "types",
    claims: `
      assertType<Same<Spec.MemoryConfig, Pick<MemoryConfig, keyof Spec.MemoryConfig>>>();
      assertType<Assignable<Spec.MemoryConfig, MemoryConfig>>();`,
  },
  "memory-result": {
    as: "module",
    claims: 'assertType<Same<Result<string>, import("@jaf/core").Result<string>>>();',
  },
  "pure-function": { declares: "type Ctx = MyContext;" },
  "state-evolution": { declares: "type Ctx = MyContext;" },
  composition: {
    claims: `assertType<Assignable<Block["inputGuardrails"], NonNullable<RunConfig<MyContext>["initialInputGuardrails"]>>>();
      assertType<Assignable<ReturnType<Block["composedValidation"]>, ValidationResult>>();`,
  },
};
