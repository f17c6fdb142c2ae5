/** What blocks of the text on core concepts use and don't declare: from the prose, or from another block. */
import type {
  Agent,
  JAFError,
  MemoryProvider,
  Message,
  RunConfig,
  RunState,
  Tool,
  ValidationResult,
} from "@jaf/core";

export {
  type Agent,
  composeValidations,
  createContentFilter,
  createPermissionCheck,
  createRateLimiter,
  createRunId,
  createTraceId,
  type Guardrail,
  handoffTool,
  type JAFError,
  JAFErrorHandler,
  type MemoryConfig,
  type MemoryErrorUnion,
  type MemoryProvider,
  type Message,
  type ModelConfig,
  type ModelProvider,
  type ResolvedAgent,
  type Result,
  type RunConfig,
  type RunId,
  type RunResult,
  type RunState,
  run,
  type Tool,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
  type TraceEvent,
  type TraceId,
  type ValidationResult,
  withErrorHandling,
} from "@jaf/core";
export type { ConversationMemory } from "@jaf/memory";
export { z } from "zod";
export { type Assignable, assertType, type Same } from "./same.ts";

export interface MyContext {
  readonly user?: { readonly name: string };
  readonly permissions?: readonly string[];
}

/** As the block context-types has it. */
export interface MyApplicationContext {
  readonly userId: string;
  readonly sessionId: string;
  readonly permissions: readonly string[];
  readonly preferences: { readonly language: string; readonly timezone: string };
}

export declare const state: RunState<MyContext>;
export declare const oldState: RunState<MyContext>;
export declare const initialState: RunState<MyContext>;
export declare const currentState: RunState<MyApplicationContext>;
export declare const newMessage: Message;
export declare const assistantMessage: Message;
export declare const conversationId: string;
export declare const memoryProvider: MemoryProvider;
export declare const config: RunConfig<MyContext>;
export declare const otherConfig: RunConfig<MyContext>;
export declare const error: JAFError;

export declare const searchTool: Tool<{ query: string; limit?: number }, MyContext>;
export declare const calculatorTool: Tool<{ expression: string }, MyContext>;
export declare const weatherTool: Tool<{ city: string }, MyContext>;
export declare const coordinatorAgent: Agent<MyContext, unknown>;
export declare const searchAgent: Agent<MyContext, number>;
export declare const calculationAgent: Agent<MyContext, { result: number }>;
export declare const searchResults: readonly string[];
export declare const startTime: number;
export declare function performSearch(query: string, limit?: number): Promise<readonly string[]>;
export declare function performLocalizedSearch(query: string, language: string): Promise<string>;
export declare function riskyOperation(args?: unknown): Promise<string>;
export declare function generateAgentName(): string;

export declare const pathValidator: (input: { path: string }) => ValidationResult;
export declare const permissionValidator: (input: { path: string }, context: MyContext) => ValidationResult;
export declare const contentValidator: (input: { path: string }) => ValidationResult;
export declare const metrics: { toolCallStarted: (name: string) => void };

/** What OpenAI's client returns, as far as the engine looks at it. */
interface ChatCompletion {
  readonly choices: {
    readonly finish_reason: string;
    readonly index: number;
    readonly message: {
      readonly role: "assistant";
      readonly content: string | null;
      readonly refusal: string | null;
      readonly tool_calls?: (
        | { id: string; type: "function"; function: { name: string; arguments: string } }
        | { id: string; type: "custom"; custom: { name: string; input: string } }
      )[];
    };
  }[];
}
export declare const openai: {
  readonly chat: { readonly completions: { readonly create: (body: object) => Promise<ChatCompletion> } };
};
export declare function formatMessages(messages: readonly Message[]): object[];
export declare function formatTools(tools: Agent<MyContext, unknown>["tools"]): object[] | undefined;
