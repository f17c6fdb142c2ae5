// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
import {
  type Agent,
  handoffTool,
  type ModelConfig,
  type Agent as OurAgent,
  type ResolvedAgent,
  type RunState,
  type Tool,
} from "@jaf/core";
import * as z from "zod";
import { assertType, type MyContext, type Same } from "./support.ts";

declare namespace Spec {
  export type Agent<Ctx, Out> = {
    readonly name: string;
    readonly instructions: (state: Readonly<RunState<Ctx>>) => string;
    readonly tools?: readonly Tool<any, Ctx>[];
    readonly outputCodec?: z.ZodType<Out>;
    readonly handoffs?: readonly string[];
    readonly modelConfig?: ModelConfig;
  };
}

// The third text's caching, conversations and memory of users are declared on the agent, and what else takes part in its turns.
type AlsoDeclared = "cacheable" | "conversational" | "middleware" | "remembers";
// What a model provider gets is the text's agent. What an application gives may have instructions of other kinds, too.
assertType<Same<Spec.Agent<MyContext, number>, Omit<ResolvedAgent<MyContext, number>, AlsoDeclared>>>();
type BesideInstructions = Omit<Spec.Agent<MyContext, number>, "instructions">;
assertType<Same<BesideInstructions, Omit<OurAgent<MyContext, number>, AlsoDeclared | "instructions">>>();
export const toOurs = (agent: Spec.Agent<MyContext, number>): OurAgent<MyContext, number> => agent;

declare const searchTool: Tool<{ query: string }, MyContext>;
declare const calculatorTool: Tool<{ expression: string }, MyContext>;
declare const weatherTool: Tool<{ city: string }, MyContext>;

export const dynamicAgent: Agent<MyContext, string> = {
  name: "dynamic-helper",
  instructions: (state) => {
    const messageCount = state.messages.length;
    const userName = state.context.user?.name || "User";

    return `You are a helpful assistant for ${userName}. 
            This conversation has ${messageCount} messages so far.
            Current turn: ${state.turnCount}`;
  },
  // ... other properties
};
export const agentWithTools: Agent<MyContext, any> = {
  name: "tool-user",
  instructions: () => "You can use tools to help users.",
  tools: [searchTool, calculatorTool, weatherTool] as const,
};

export const structuredOutputAgent: Agent<MyContext, { result: string; confidence: number }> = {
  name: "structured-agent",
  instructions: () => "Return structured JSON responses.",
  outputCodec: z.object({
    result: z.string(),
    confidence: z.number().min(0).max(1),
  }),
};
export const coordinatorAgent: Agent<MyContext, any> = {
  name: "coordinator",
  instructions: () => "Coordinate tasks and delegate to specialists.",
  handoffs: ["search-specialist", "calculation-specialist"],
  tools: [handoffTool],
};
