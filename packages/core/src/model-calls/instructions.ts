import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import type { Agent } from "../agent.ts";
import type { JAFError } from "../errors.ts";
import { overlay } from "../immutable/overlay.ts";
import { runAborted } from "../limits/abort.ts";
import { modelLimit, openTimeLimit } from "../limits/time-limit.ts";
import type { AdditionPlacement, PromptAddition } from "../middleware.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { internalError } from "../thrown.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;

export type Instructions =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: JAFError };

/**
 * Computes the agent's instructions for a model call. Never rejects: a failure of `Agent.instructions` is an error in
 * the result.
 */
export async function resolveInstructions<Ctx>(
  { config }: RunScope<Ctx>,
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): Promise<Instructions> {
  const limit = openTimeLimit(modelLimit(config, agent), config.signal);
  try {
    const text: unknown = await limit.race(instructionsFor(agent, state));
    return typeof text === "string" ? { ok: true, text } : { ok: false, error: failure(state, noText()) };
  } catch (thrown) {
    const { signal } = config;
    return { ok: false, error: signal?.aborted === true ? runAborted(signal) : failure(state, thrown) };
  } finally {
    limit.close();
  }
}

const noText = () => new TypeError("expected a text");

const failure = <Ctx>({ currentAgentName }: Readonly<RunState<Ctx>>, thrown: unknown): JAFError => {
  const detail = `the instructions of agent "${currentAgentName}" failed`;
  return internalError(detail, thrown);
};

/** Returns the agent's instructions for a state: the text, or the result of the function. */
function instructionsFor<Ctx>(
  agent: AnyAgent<Ctx>,
  state: Readonly<RunState<Ctx>>,
): string | Promise<string> {
  return typeof agent.instructions === "function" ? agent.instructions(state) : agent.instructions;
}

/** Returns the agent with texts added after its instructions. Without texts, returns the same agent. */
export function instructed<Ctx, Out>(agent: Agent<Ctx, Out>, additions: readonly string[]): Agent<Ctx, Out> {
  if (additions.length === 0) return agent;
  const instructions: Agent<Ctx, Out>["instructions"] = async (state) => {
    const own = await instructionsFor(agent, state);
    // If the result isn't a text, the caller reports that.
    return typeof own === "string" ? [own, ...additions].join("\n\n") : own;
  };
  return overlay(agent, { instructions });
}

/** A prompt with the texts that middleware added. */
export interface AddedPrompt {
  readonly messages: readonly Message[];
  /** The texts that are appended to the agent's instructions. */
  readonly instructions: readonly string[];
  /** All added texts, each with its place in the prompt. */
  readonly placed: readonly PromptAddition[];
}

/**
 * Adds the texts of middleware to a prompt. Texts for the place `"before-newest-message"` become the first text parts
 * of the newest user message. `hasUserMessage`: whether the conversation has a user message; if not, all texts are
 * added to the instructions.
 */
export function addToPrompt(
  messages: readonly Message[],
  additions: readonly PromptAddition[],
  hasUserMessage: boolean,
): AddedPrompt {
  if (additions.length === 0) return { messages, instructions: [], placed: [] };
  // A summary is sent as a user message but doesn't count.
  const newest = hasUserMessage ? messages.findLastIndex(({ role }) => role === "user") : -1;
  const placed = newest === -1 ? additions.map(behindInstructions) : additions;
  const textsAt = (place: AdditionPlacement): readonly string[] =>
    placed.filter(({ placement }) => placement === place).map(({ text }) => text);
  const before = textsAt("before-newest-message");
  return {
    // No separate message, because many models refuse two consecutive user messages.
    messages:
      before.length === 0
        ? messages
        : messages.map((message, index) => (index === newest ? withTexts(message, before) : message)),
    instructions: textsAt("instructions"),
    placed,
  };
}

const behindInstructions = (addition: PromptAddition): PromptAddition => ({
  ...addition,
  placement: "instructions",
});

function withTexts(message: Message, texts: readonly string[]): Message {
  const { content }: RichMessage = message;
  const own: readonly ContentPart[] = Array.isArray(content)
    ? content
    : content
      ? [Object.freeze({ type: "text", text: content })]
      : [];
  const added = texts.map((text) => Object.freeze({ type: "text", text, transient: true }));
  const shown: RichMessage = { ...message, content: Object.freeze([...added, ...own]) };
  return Object.freeze(shown) as Message;
}
