import type { Message } from "@jaf/memory";
import { countMessageTokens, estimateTokens } from "@jaf/memory/internal";
import type { ModelUsage } from "./cost.ts";

/** The parts of a model call and its reply whose tokens are estimated. */
export interface EstimatedCall {
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly schema: { readonly name: string; readonly description: string } }[];
  readonly reply: Message;
}

/** Estimates the input and output tokens of a model call. The parameters of tools aren't counted. */
export function estimatedUsage({ instructions, messages, tools, reply }: EstimatedCall): ModelUsage {
  let inputTokens = estimateTokens(instructions);
  for (const message of messages) inputTokens += countMessageTokens(message);
  for (const { schema } of tools) inputTokens += estimateTokens(`${schema.name} ${schema.description}`);
  return { inputTokens, outputTokens: countMessageTokens(reply) };
}
