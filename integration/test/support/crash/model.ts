import type { ModelProvider } from "@jaf/core";
import type { Message } from "@jaf/memory";

/** A call by its label, its tool and its arguments. The labels of a reply differ. */
export type ScriptedCall = readonly [label: string, tool: string, args: Readonly<Record<string, unknown>>];

/** The replies to a message by its token, in order. A text ends the turn. */
export type Script = Readonly<Record<string, readonly (string | readonly ScriptedCall[])[]>>;

/** A user message begins with the token that selects the model's script. */
export const tokenOf = ({ content }: Pick<Message, "content">): string => content.split(":")[0] ?? "";

/** Returns the turn of a message by its token. */
export function turnOf(message: Message): string {
  const id = message.tool_call_id ?? message.tool_calls?.[0]?.id;
  return id === undefined ? tokenOf(message) : (id.split("-")[0] ?? "");
}

/** Returns the index of the next reply, only from the messages that the model receives. */
function dueReply(messages: readonly Message[]): readonly [token: string, reply: number] {
  const last = messages.at(-1);
  if (last?.role === "user") return [tokenOf(last), 0];
  if (last?.role !== "tool") throw new Error("the model was called, but no message waits for its reply");
  const [token = "", reply = ""] = last.tool_call_id?.split("-") ?? [];
  return [token, Number(reply) + 1];
}

/** Follows the script, regardless of the process. */
export function createModel(
  script: Script,
  sent: (messages: readonly Message[]) => void,
): ModelProvider<unknown>["getCompletion"] {
  return async ({ messages }) => {
    sent(messages);
    const [token, index] = dueReply(messages);
    const reply = script[token]?.[index];
    if (reply === undefined) throw new Error(`the script has no reply ${index} under "${token}"`);
    if (typeof reply === "string") return { message: { content: `${token}: ${reply}` } };
    const calls = reply.map(([label, name, args]) => ({
      id: `${token}-${index}-${label}`,
      type: "function" as const,
      function: { name, arguments: JSON.stringify(args) },
    }));
    return { message: { content: "", tool_calls: calls } };
  };
}
