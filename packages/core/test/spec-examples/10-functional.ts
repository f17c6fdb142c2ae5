// biome-ignore-all lint/correctness/noUnusedFunctionParameters: verbatim
import {
  type Agent,
  composeValidations,
  createContentFilter,
  createPermissionCheck,
  createRateLimiter,
  type Message,
  type RunConfig,
  type RunId,
  type RunState,
  type TraceId,
  type ValidationResult,
} from "@jaf/core";
import type { MyContext } from "./support.ts";

type Ctx = MyContext;

declare const oldState: RunState<Ctx>;
declare const state: RunState<Ctx>;
declare const newMessage: Message;
declare const pathValidator: (input: { path: string }) => ValidationResult;
declare const permissionValidator: (input: { path: string }, context: Ctx) => ValidationResult;
declare const contentValidator: (input: { path: string }) => ValidationResult;
declare function generateAgentName(): string;
declare function riskyOperation(): Promise<string>;

// Pure function - no side effects
export function addMessage(state: RunState<Ctx>, message: Message): RunState<Ctx> {
  return {
    ...state,
    messages: [...state.messages, message],
    turnCount: state.turnCount + 1,
  };
}

// Immutable update patterns
export const newState = {
  ...oldState,
  messages: [...oldState.messages, newMessage],
};

// Array operations create new arrays
export const filteredMessages = state.messages.filter((m) => m.role === "user");
export const mappedMessages = state.messages.map((m) => ({ ...m, processed: true }));

// Compose validation functions
export const composedValidation = composeValidations(pathValidator, permissionValidator, contentValidator);
export const composedVerdict: boolean = composedValidation({ path: "/" }, {}).isValid;

// Compose guardrails
const inputGuardrails = [
  createContentFilter(),
  createRateLimiter(10, 60000, () => "user"),
  createPermissionCheck(),
];
export const guarded: Pick<RunConfig<Ctx>, "initialInputGuardrails"> = {
  initialInputGuardrails: inputGuardrails,
};

// Generic types ensure consistency
export function createAgent<Ctx, Out>(config: Omit<Agent<Ctx, Out>, "name">): Agent<Ctx, Out> {
  return {
    name: generateAgentName(),
    ...config,
  };
}

// Branded types prevent ID confusion
export function processTrace(traceId: TraceId, runId: RunId) {
  // Types ensure correct IDs are passed
}

// Return error values instead of throwing
type OperationResult<T> = { success: true; data: T } | { success: false; error: string };

export async function safeOperation(): Promise<OperationResult<string>> {
  try {
    const result = await riskyOperation();
    return { success: true, data: result };
  } catch (error) {
    // @ts-expect-error What is caught is `unknown` under `strict`.
    return { success: false, error: error.message };
  }
}
