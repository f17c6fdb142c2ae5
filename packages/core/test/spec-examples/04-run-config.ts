// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
import {
  type Agent,
  createContentFilter,
  createRateLimiter,
  type Guardrail,
  type MemoryConfig,
  type ModelProvider,
  type RunConfig as OurRunConfig,
  type RunConfig,
  type TraceEvent,
} from "@jaf/core";
import { assertType, type MyContext, type Same } from "./support.ts";

declare namespace Spec {
  export type RunConfig<Ctx> = {
    readonly agentRegistry: ReadonlyMap<string, Agent<Ctx, any>>;
    readonly modelProvider: ModelProvider<Ctx>;
    readonly maxTurns?: number;
    readonly modelOverride?: string;
    readonly initialInputGuardrails?: readonly Guardrail<string>[];
    readonly finalOutputGuardrails?: readonly Guardrail<any>[];
    readonly onEvent?: (event: TraceEvent) => void;
    readonly memory?: MemoryConfig;
    readonly conversationId?: string;
  };
}

type Guarded = "initialInputGuardrails" | "finalOutputGuardrails";
type SpecFields = keyof Spec.RunConfig<MyContext>;
assertType<
  Same<Omit<Spec.RunConfig<MyContext>, Guarded>, Omit<Pick<OurRunConfig<MyContext>, SpecFields>, Guarded>>
>();
export const toOurs = (config: Spec.RunConfig<MyContext>): OurRunConfig<MyContext> => config;
export const toSpec = (config: OurRunConfig<MyContext>): Spec.RunConfig<MyContext> => config;
declare const coordinatorAgent: Agent<MyContext, any>;
declare const searchAgent: Agent<MyContext, number>;
declare const calculationAgent: Agent<MyContext, { result: number }>;

/** What OpenAI's SDK returns, as far as the engine looks at it. */
interface ChatCompletion {
  choices: {
    finish_reason: string;
    index: number;
    message: {
      content: string | null;
      refusal: string | null;
      role: "assistant";
      tool_calls?: (
        | { id: string; type: "function"; function: { name: string; arguments: string } }
        | { id: string; type: "custom"; custom: { name: string; input: string } }
      )[];
    };
  }[];
}
declare const openai: {
  chat: { completions: { create: (body: object) => Promise<ChatCompletion> } };
};
declare function formatMessages(messages: readonly object[]): object[];
declare function formatTools(tools: readonly object[] | undefined): object[] | undefined;
declare const metrics: { toolCallStarted: (name: string) => void };

export const agentRegistry = new Map([
  ["coordinator", coordinatorAgent],
  ["search-specialist", searchAgent],
  ["calculation-specialist", calculationAgent],
] as const);

export const openAIProvider: ModelProvider<MyContext> = {
  getCompletion: async (state, agent, config) => {
    // Provider-specific implementation
    const response = await openai.chat.completions.create({
      model: config.modelOverride ?? agent.modelConfig?.name ?? "gpt-4",
      messages: formatMessages(state.messages),
      tools: formatTools(agent.tools),
      temperature: agent.modelConfig?.temperature,
    });

    return response.choices[0];
  },
};

export const inputGuardrails: Guardrail<string>[] = [
  createContentFilter(), // Filter sensitive content
  createRateLimiter(10, 60000, () => "global"), // Rate limiting
];
export const outputGuardrails: Guardrail<any>[] = [
  (output) => {
    if (typeof output === "string" && output.length > 10000) {
      return { isValid: false, errorMessage: "Output too long" };
    }
    return { isValid: true };
  },
];

export const config: RunConfig<MyContext> = {
  // ... other config
  agentRegistry,
  modelProvider: openAIProvider,
  initialInputGuardrails: inputGuardrails,
  finalOutputGuardrails: outputGuardrails,
  onEvent: (event) => {
    console.log(`[${event.type}]`, event.data);

    // Custom handling based on event type
    switch (event.type) {
      case "tool_call_start":
        metrics.toolCallStarted(event.data.toolName);
        break;
      case "handoff":
        console.log(`Agent handoff: ${event.data.from} → ${event.data.to}`);
        break;
    }
  },
};
