import type { Message } from "@jaf/memory";
import type { Agent, ModelConfig } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import { abortable } from "../engine/abort.ts";
import { agentGivenOut, configGivenOut, stateGivenOut } from "../immutable/given-out.ts";
import { ownMessages } from "../immutable/messages.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import { parseReply } from "./reply.ts";

/** A question to a run's model beside the conversation. */
export interface Question<Ctx> {
  /** Of the run; its messages aren't sent. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The agent's that asks, as the model provider sees it. */
  readonly name: string;
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly modelConfig: ModelConfig;
  /** In place of the run's. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks the model once, without tools. Resolves with the reply's text. Rejects with what the model provider throws, with
 * the reason of the abort, and where the reply is no text.
 */
export async function askModel<Ctx>(
  config: RunConfig<Ctx>,
  { state, name, instructions, messages, modelConfig, signal }: Question<Ctx>,
): Promise<string> {
  signal?.throwIfAborted();
  const agent: Agent<Ctx, string> = { name, instructions: () => instructions, modelConfig };
  const asked = stateGivenOut({ ...state, messages: ownMessages(messages) });
  const completion = await abortable(
    config.modelProvider.getCompletion(
      asked,
      agentGivenOut(agent),
      configGivenOut(overlay(config, { signal })),
    ),
    signal,
  );
  const reply = parseReply(completion);
  if (!reply.ok || reply.message.tool_calls !== undefined) throw new Error("the model wrote no text");
  return reply.message.content;
}
