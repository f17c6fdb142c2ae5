import type { Message } from "@jaf/memory";
import type { Ledger } from "../../src/replay/ledger.ts";

const call = (id: string, name: string): NonNullable<Message["tool_calls"]>[number] => ({
  id,
  type: "function",
  function: { name, arguments: `{"of": "${id}"}` },
});

/** A made-up conversation with parallel calls, results in any order, reused call ids and an unanswered end. */
function conversation(turns: number): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const results: Message[] = [
      { role: "tool", content: `{"found": ${turn}}`, tool_call_id: "call_a" },
      { role: "tool", content: `result ${turn}`, tool_call_id: `call_${turn}` },
    ];
    messages.push(
      { role: "user", content: `Question ${turn}: ünïcödé 🚀 \u0000` },
      {
        role: "assistant",
        content: "",
        tool_calls: [call("call_a", "look_up"), call(`call_${turn}`, "compute")],
      },
      ...(turn % 2 === 0 ? results : results.reverse()),
      { role: "assistant", content: `Answer ${turn}` },
    );
  }
  return [...messages, { role: "user", content: "and then?" }];
}

/** JSON Lines with `count` conversations, and the number of their messages. */
export function madeUpRecording(
  count: number,
  turns = 4,
): { readonly text: string; readonly messages: number } {
  const lines = Array.from({ length: count }, (_, n) => ({
    conversationId: `made-up-${n}`,
    userId: `user-${n % 3}`,
    messages: conversation(turns),
  }));
  return {
    text: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    messages: lines.reduce((sum, { messages }) => sum + messages.length, 0),
  };
}

export const asks = (content: string): Message => ({ role: "user", content });

export const replies = (content: string): Message => ({ role: "assistant", content });

export const calls = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => call(id, `tool_${id}`)),
});

export const result = (id: string, content = `result of ${id}`): Message => ({
  role: "tool",
  content,
  tool_call_id: id,
});

/** A line of a recording. Its messages don't have to be replayable. */
export const recordingLine = (
  conversationId: string,
  messages: readonly unknown[],
  userId = "somebody",
): string => `${JSON.stringify({ conversationId, userId, messages })}\n`;

export const silentLedger: Ledger = { durable: () => {}, started: () => {} };
