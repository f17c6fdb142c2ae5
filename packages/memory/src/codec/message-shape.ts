type Fields = Readonly<Record<string, unknown>>;

export const messageRoles = ["user", "assistant", "tool", "system", "developer"] as const;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTextOrNone = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";

const areTexts = (value: unknown, first: string, second: string): boolean =>
  isFields(value) && typeof value[first] === "string" && typeof value[second] === "string";

function isCall(call: unknown): boolean {
  if (!isFields(call) || typeof call["id"] !== "string") return false;
  if (call["type"] === "custom") return areTexts(call["custom"], "name", "input");
  return isTextOrNone(call["type"]) && areTexts(call["function"], "name", "arguments");
}

const isPart = (part: unknown): boolean => isFields(part) && typeof part["type"] === "string";

/**
 * Whether a value that JSON gave, with tags or without, is a message as `messageSchema` has it. That one says what is wrong;
 * this one is for where nobody asks, or where there is no zod.
 */
export function isMessage(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { role, content, tool_call_id: id, tool_calls: calls } = value;
  return (
    (messageRoles as readonly unknown[]).includes(role) &&
    (typeof content === "string" || content === null || (Array.isArray(content) && content.every(isPart))) &&
    isTextOrNone(id) &&
    (calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isCall)))
  );
}
