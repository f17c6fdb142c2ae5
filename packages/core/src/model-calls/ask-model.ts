import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import { ownMessages } from "../immutable/messages.ts";
import { overlay } from "../immutable/overlay.ts";
import { modelLimit, openTimeLimit } from "../limits/time-limit.ts";
import type { ModelConfig } from "../model/model-config.ts";
import { type ParsedReply, parseReply } from "../model/reply.ts";
import type { RunConfig } from "../run-config.ts";
import { frozenState, type RunState } from "../state.ts";
import { frozenAgent, frozenConfig } from "./provider-request.ts";

/** A request to a run's model, outside of the conversation (e.g. for a summary). */
export interface Question<Ctx> {
  /** The run's state. Its messages aren't sent. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The name that the agent has in this request to the model provider. */
  readonly name: string;
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly modelConfig: ModelConfig;
  /** The signal of this request, in place of the run's signal. `undefined`: no signal. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls the model once, without tools. Resolves with the reply's text. Rejects in these cases:
 *
 * - The model provider rejects.
 * - The reply has no text or calls a tool.
 * - The call exceeds the time limit of a model call.
 * - The signal is aborted.
 */
export async function askModel<Ctx>(
  config: RunConfig<Ctx>,
  { state, name, instructions, messages, modelConfig, signal }: Question<Ctx>,
): Promise<string> {
  signal?.throwIfAborted();
  const agent: Agent<Ctx, string> = {
    name,
    instructions,
    // Some model providers refuse a tool choice without tools.
    modelConfig: overlay(modelConfig, { toolChoice: undefined }),
  };
  const limit = openTimeLimit(modelLimit(config, agent), signal);
  let reply: ParsedReply;
  try {
    const asking = config.modelProvider.getCompletion(
      frozenState(state, ownMessages(messages)),
      frozenAgent(agent, instructions),
      frozenConfig(config, { limit, agent }),
    );
    reply = parseReply(await limit.race(asking));
  } finally {
    limit.close();
  }
  const text = reply.ok && reply.message.tool_calls === undefined ? messageText(reply.message) : "";
  if (text.trim() === "") throw new Error("the model wrote no text");
  return text;
}
