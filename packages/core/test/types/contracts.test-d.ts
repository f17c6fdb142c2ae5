import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  createRunId,
  createRunState,
  createTool,
  createTraceId,
  type Guardrail,
  type Interruption,
  type JAFError,
  type Message,
  type ResolvedAgent,
  type RunConfig,
  type RunId,
  type RunInterrupted,
  type RunResult,
  type RunState,
  run,
  runStream,
  type Spent,
  type Tool,
  type ToolCallInfo,
  type ToolResult,
  type TraceEvent,
  type TraceId,
} from "../../src/index.ts";

interface Context {
  userId: string;
  roles: string[];
}

describe("the documented types", () => {
  it("has the documented RunState", () => {
    expectTypeOf<RunState<Context>>().toEqualTypeOf<{
      readonly runId: RunId;
      readonly traceId: TraceId;
      readonly messages: readonly Message[];
      readonly currentAgentName: string;
      readonly context: Readonly<Context>;
      readonly turnCount: number;
    }>();
  });

  it("has the documented RunResult, with historyFrom and a third outcome that reads as an error", () => {
    expectTypeOf<RunResult<number>>().toEqualTypeOf<{
      // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
      readonly finalState: RunState<any>;
      readonly historyFrom?: number;
      readonly historyToken?: string;
      readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
      readonly outcome:
        | { readonly status: "completed"; readonly output: number }
        | { readonly status: "error"; readonly error: JAFError }
        | {
            readonly status: "interrupted";
            readonly interruptions: readonly Interruption[];
            readonly error: RunInterrupted;
          };
    }>();
    type Failed = Exclude<RunResult<number>["outcome"], { status: "completed" }>;
    expectTypeOf<Failed["error"]>().toExtend<JAFError>();
  });

  it("has ids that can't be mixed up", () => {
    expectTypeOf<RunId>().toExtend<string>();
    expectTypeOf<RunId>().not.toExtend<TraceId>();
    expectTypeOf<TraceId>().not.toExtend<RunId>();
    expectTypeOf<string>().not.toExtend<RunId>();
    expectTypeOf(createRunId("r")).toEqualTypeOf<RunId>();
    expectTypeOf(createTraceId("t")).toEqualTypeOf<TraceId>();
  });

  it("has a closed union TraceEvent that narrows by its type", () => {
    expectTypeOf<Extract<TraceEvent, { type: "handoff" }>["data"]>().toEqualTypeOf<{
      readonly from: string;
      readonly to: string;
    }>();
    expectTypeOf<string>().not.toExtend<TraceEvent["type"]>();
  });
});

describe("a context", () => {
  it("is readonly for an agent's instructions", () => {
    type Instructions = Exclude<Agent<Context, string>["instructions"], string>;
    type State = Parameters<Instructions>[0];
    expectTypeOf<Parameters<ResolvedAgent<Context>["instructions"]>>().toEqualTypeOf<[state: State]>();
    expectTypeOf<State["context"]>().toEqualTypeOf<Readonly<Context>>();
    expectTypeOf<State>().toEqualTypeOf<Readonly<RunState<Context>>>();
  });

  it("is readonly for a tool", () => {
    expectTypeOf<Parameters<Tool<string, Context>["execute"]>>().toEqualTypeOf<
      [args: string, context: Readonly<Context>, call?: ToolCallInfo | undefined]
    >();
    createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: (_args, context: Readonly<Context>) => {
        // @ts-expect-error it is readonly
        context.userId = "other";
        return context.userId;
      },
    });
  });

  it("is readonly for a guardrail", () => {
    expectTypeOf<Parameters<Guardrail<string, Context>>[1]>().toEqualTypeOf<Readonly<Context>>();
    const config: Pick<RunConfig<Context>, "initialInputGuardrails"> = {
      initialInputGuardrails: [
        (_input, context) => {
          expectTypeOf(context).toEqualTypeOf<Readonly<Context>>();
          return { isValid: true };
        },
      ],
    };
    expectTypeOf(config).toExtend<Partial<RunConfig<Context>>>();
  });

  it("can be undefined, null or unknown, also with guardrails without a context type", () => {
    type Guardrails<Ctx> = RunConfig<Ctx>["initialInputGuardrails"];
    expectTypeOf<Guardrail<string>[]>().toExtend<Guardrails<undefined>>();
    expectTypeOf<Guardrail<string>[]>().toExtend<Guardrails<null>>();
    expectTypeOf<Guardrail<string>[]>().toExtend<Guardrails<unknown>>();
    expectTypeOf<Guardrail<string>[]>().toExtend<Guardrails<Context>>();
  });

  it("must have the same type in the state and the config", () => {
    const start = (state: RunState<Context>, config: RunConfig<{ other: number }>) => {
      // @ts-expect-error the contexts differ
      run(state, config);
    };
    expectTypeOf(start).toBeFunction();
  });
});

describe("a state and its messages", () => {
  it("can't be changed", () => {
    const change = (state: RunState<Context>, message: Message) => {
      // @ts-expect-error it is readonly
      state.turnCount = 1;
      // @ts-expect-error it is readonly
      state.messages.push(message);
      // @ts-expect-error it is readonly
      message.content = "";
      // @ts-expect-error it is readonly
      message.tool_calls?.pop();
    };
    expectTypeOf(change).toBeFunction();
  });
});

describe("createTool", () => {
  const parameters = z.object({ query: z.string(), limit: z.number().default(10) });

  it("infers the arguments from the schema, after defaults and transforms", () => {
    const tool = createTool({
      name: "search",
      description: "",
      parameters: parameters.extend({ at: z.string().transform((text) => new Date(text)) }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ query: string; limit: number; at: Date }>();
        return args.query;
      },
    });
    // biome-ignore lint/suspicious/noExplicitAny: the context that it works with
    expectTypeOf(tool).toEqualTypeOf<Tool<{ query: string; limit: number; at: Date }, any>>();
  });

  it("takes the context type from execute or from its use", () => {
    const named = createTool({
      name: "who",
      description: "",
      parameters,
      execute: (_args, context: Readonly<Context>) => context.userId,
    });
    expectTypeOf(named).toExtend<Tool<{ query: string; limit: number }, Context>>();
    const agent: Agent<Context, string> = {
      name: "agent",
      instructions: () => "",
      tools: [
        createTool({
          name: "who",
          description: "",
          parameters,
          execute: (_args, context) => {
            expectTypeOf(context.userId).toEqualTypeOf<string>();
            return context.userId;
          },
        }),
      ],
    };
    expectTypeOf(agent).toExtend<Agent<Context, string>>();
  });

  it("requires a return value that a model can read", () => {
    createTool({
      name: "tool",
      description: "",
      parameters,
      // @ts-expect-error neither a string nor a ToolResult
      execute: () => 5,
    });
    expectTypeOf<Awaited<ReturnType<Tool<string, Context>["execute"]>>>().toEqualTypeOf<
      string | ToolResult
    >();
  });
});

describe("run and runStream", () => {
  it("return the output type that the caller states, unknown by default", () => {
    const start = async (state: RunState<Context>, config: RunConfig<Context>) => {
      expectTypeOf(run(state, config)).toEqualTypeOf<Promise<RunResult<unknown>>>();
      expectTypeOf(run<Context, string>(state, config)).toEqualTypeOf<Promise<RunResult<string>>>();
      expectTypeOf(runStream<Context, string>(state, config).result).toEqualTypeOf<
        Promise<RunResult<string>>
      >();
      for await (const event of runStream(state, config)) expectTypeOf(event).toEqualTypeOf<TraceEvent>();
    };
    expectTypeOf(start).toBeFunction();
  });

  it("take the context type from the config, so a state can be written inline", () => {
    const start = (config: RunConfig<Context>) => {
      const context = { userId: "u1", roles: [], more: 1 };
      expectTypeOf(run(createRunState({ agentName: "a", context }), config)).toEqualTypeOf<
        Promise<RunResult<unknown>>
      >();
      runStream(createRunState({ agentName: "a", context: { userId: "u1", roles: [] } }), config);
      // @ts-expect-error the config's context has roles
      run(createRunState({ agentName: "a", context: { userId: "u1" } }), config);
    };
    expectTypeOf(start).toBeFunction();
  });
});
