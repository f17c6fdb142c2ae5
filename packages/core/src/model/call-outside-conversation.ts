import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import { frozenAgent, frozenConfig, frozenState } from "../immutable/frozen.ts";
import { ownMessages } from "../immutable/messages.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import { modelLimit } from "../timing/limits.ts";
import { openTimeLimit } from "../timing/time-limit.ts";
import type { ModelConfig } from "./model-config.ts";
import { type ParsedReply, parseReply } from "./reply.ts";

/** A request to a run's model outside of the conversation. */
export interface Question<Ctx> {
  /** The run's state; its messages aren't sent. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The agent name that the model provider gets. */
  readonly name: string;
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly modelConfig: ModelConfig;
  /** Replaces the run's signal. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks the model once, without tools. Resolves with the reply's text. Rejects with what the model provider throws, with
 * the reason of the abort, where the reply is no text, and where it takes longer than a model call may.
 */
export async function askModel<Ctx>(
  config: RunConfig<Ctx>,
  { state, name, instructions, messages, modelConfig, signal }: Question<Ctx>,
): Promise<string> {
  signal?.throwIfAborted();
  const agent: Agent<Ctx, string> = {
    name,
    instructions,
    // Some providers refuse a tool choice without tools.
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
