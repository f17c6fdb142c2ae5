import { type Agent, createTool, handoffTool, type ModelConfig } from "@jaf/core";
import * as z from "zod";
import { callKey, type Plan } from "./plan.ts";

const DROPPING = { type: "adaptive", blockBinding: { prefixMismatchBehavior: "drop_block" } };

/** One agent for each kind of thinking and its settings. */
export const AGENTS: Readonly<Record<string, ModelConfig>> = {
  claude: { name: "claude-opus-5-5", providerOptions: { anthropic: { thinking: DROPPING } } },
  /**
   * Its thinking is refused if earlier content has changed. Without `toolStreaming: false`, the AI SDK requests streamed tool
   * inputs in some calls only, which changes the tools.
   */
  boundClaude: {
    name: "claude-fable-5-1",
    providerOptions: { anthropic: { thinking: { type: "adaptive" }, toolStreaming: false } },
  },
  /** Its tool turns must begin with thinking. */
  olderClaude: {
    name: "claude-opus-4-5",
    maxTokens: 8192,
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
  },
  /** With JAF's own client: a newer model, and one with a thinking budget. */
  directClaude: { name: "claude-haiku-5-5", reasoningEffort: "low" },
  directOlder: { name: "claude-opus-4-1", maxTokens: 8192, reasoningEffort: "medium" },
  gpt: { name: "gpt-5", reasoningEffort: "medium" },
  responsesGpt: { name: "responses-gpt-5", reasoningEffort: "medium" },
  gemini: { name: "gemini-3-pro-preview" },
  ownGemini: { name: "own-gemini-3-pro" },
  deepseek: { name: "deepseek-reasoner" },
  chatGpt: { name: "chat-gpt-5" },
  chatGemini: { name: "chat-gemini-3-pro" },
  router: { name: "openrouter:anthropic/claude-opus-4-5" },
};

/** All have the same tools, and can hand off to each other. `onCall` is called when a tool begins. */
export function createAgents(plan: Plan, onCall: () => void): ReadonlyMap<string, Agent<unknown, unknown>> {
  const asked = new Map<string, number>();
  const tools = plan.tools.map((name) =>
    createTool({
      name,
      description: `Does ${name}`,
      parameters: z.record(z.string(), z.unknown()),
      needsApproval: plan.approvals.includes(name),
      execute: (input) => {
        onCall();
        const key = callKey(name, input);
        const results = plan.results.get(key) ?? [];
        const count = asked.get(key) ?? 0;
        asked.set(key, count + 1);
        return results[Math.min(count, results.length - 1)] ?? "done";
      },
    }),
  );
  return new Map(
    Object.entries(AGENTS).map(([name, modelConfig]) => [
      name,
      {
        name,
        instructions: `You are ${name}, and help with flights.`,
        tools: [...tools, handoffTool],
        handoffs: Object.keys(AGENTS),
        modelConfig,
      },
    ]),
  );
}
