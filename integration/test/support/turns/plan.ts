import type { Durability } from "@jaf/core";
import type { Message } from "@jaf/memory";

/** One turn of a load. A process takes it once. */
export interface TurnPlan {
  readonly process: number;
  readonly conversation: number;
  /** Counted within process and conversation. */
  readonly number: number;
}

/** The unique prefix of all its messages. */
export const tokenOf = ({ process, conversation, number }: TurnPlan): string =>
  `${process}:${conversation}:${number}`;

export const conversationIdOf = (conversation: number): string => `conversation-${conversation}`;

export const TOOL = "look_up";

const callsTool = ({ process, number }: TurnPlan): boolean => (process + number) % 3 === 0;

/** Of five consecutive turns, three have durability `turn`, one `step` and one `completed`. */
export function durabilityOf(index: number): Durability {
  if (index % 5 === 3) return "step";
  return index % 5 === 4 ? "completed" : "turn";
}

/** The turn's stored messages once it is done. */
export function messagesOf(plan: TurnPlan): readonly Message[] {
  const token = tokenOf(plan);
  const question: Message = { role: "user", content: `${token} question` };
  const answer: Message = { role: "assistant", content: `${token} answer` };
  if (!callsTool(plan)) return [question, answer];
  const id = `${token} call`;
  const call = { name: TOOL, arguments: JSON.stringify({ token }) };
  return [
    question,
    { role: "assistant", content: `${token} asks`, tool_calls: [{ id, type: "function", function: call }] },
    { role: "tool", content: `${token} found`, tool_call_id: id },
    answer,
  ];
}

/** The turn of a message; `undefined` if no turn of a load wrote it. */
export function planOf({ content }: Message): TurnPlan | undefined {
  const match = /^(\d+):(\d+):(\d+) /.exec(typeof content === "string" ? content : "");
  const [process, conversation, number] = (match ?? []).slice(1).map(Number);
  if (process === undefined || conversation === undefined || number === undefined) return undefined;
  return { process, conversation, number };
}
