import type { Message } from "@jaf/memory";
import { withMemoryExtract } from "../../middleware/extract.ts";
import { withMemoryInject } from "../../middleware/inject.ts";
import type { MiddlewareTurn, RemembersSpec } from "../../run-types.ts";
import type { UserMemoryStore } from "../../store.ts";

/** A turn of a test, with the reply of the model that extracts facts. */
export interface ScriptedTurn {
  /** The user's messages, oldest first. */
  readonly said: string | readonly string[];
  readonly reply?: string;
  /** The reply of the model that extracts facts: a list of facts, or raw text. */
  readonly extracted?: readonly unknown[] | string;
  /** The messages of the conversation before the user's messages in `said`. */
  readonly before?: readonly Message[];
  /** The model that extracts facts replies when this promise resolves. Default: immediately. */
  readonly answered?: Promise<void>;
  readonly conversationId?: string;
  readonly position?: number;
  readonly startedAt?: number;
  readonly spec?: Partial<RemembersSpec>;
  /** Called when an extraction fails. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

const messagesOf = (said: string | readonly string[]): readonly Message[] =>
  [said].flat().map((content) => ({ role: "user", content }));

function turnOf({
  conversationId = "c",
  position = 0,
  before = [],
  ...turn
}: ScriptedTurn): MiddlewareTurn<unknown> {
  const said = messagesOf(turn.said);
  const { extracted = [] } = turn;
  const answer = typeof extracted === "string" ? extracted : JSON.stringify({ facts: extracted });
  return {
    state: {
      ...{ runId: "run", traceId: "trace", currentAgentName: "agent", context: {}, turnCount: 0 },
      messages: [...before, ...said],
    } as unknown as MiddlewareTurn<unknown>["state"],
    ...{ userMessages: said, position, conversationId, agentName: "agent", isContinuation: false },
    startedAt: turn.startedAt ?? Date.now(),
    complete: async () => {
      await turn.answered;
      return answer;
    },
  };
}

/**
 * Runs a turn of an agent with a user memory, as the engine does. Resolves with the text for the agent's instructions
 * after the extracted facts were stored.
 */
export async function converse(
  memory: UserMemoryStore,
  user: string,
  scripted: ScriptedTurn,
): Promise<string> {
  const turn = turnOf(scripted);
  const spec: RemembersSpec = { user, extract: "auto", ...scripted.spec };
  const middleware =
    scripted.onError === undefined
      ? memory.middlewareFor<unknown>(spec)
      : [withMemoryInject(spec, { memory }), withMemoryExtract(spec, { memory, onError: scripted.onError })];
  const additions = await Promise.all(middleware.map(({ onStart }) => onStart?.(turn)));
  const reply: Message = { role: "assistant", content: scripted.reply ?? "I see." };
  for (const { onFinish } of middleware) await onFinish?.(turn, reply);
  await memory.drain();
  return additions.flatMap((addition) => addition?.instructions ?? []).join("\n\n");
}

/**
 * Returns the text that the user memory adds to the agent's instructions in a turn with the user's message `said`.
 * Extracts no facts.
 */
export const injected = (
  memory: UserMemoryStore,
  user: string,
  said: string,
  injectLimit = 50,
): Promise<string> => converse(memory, user, { said, spec: { extract: false, injectLimit } });

/** Returns the lines between the `<user-memory>` tags in instructions. */
export function linesOf(instructions: string): readonly string[] {
  const lines = instructions.split("\n");
  const [start, end] = [lines.indexOf("<user-memory>"), lines.indexOf("</user-memory>")];
  return start === -1 ? [] : lines.slice(start + 1, end);
}
