import { isTooDeep, MAX_DEPTH } from "@jaf/memory/internal";
import { fieldsOf, isObject, textField } from "@jaf/model-http";
import { invalid } from "./chat.ts";
import type { AnyUIMessage } from "./ui-format.ts";

/** Throws if messages don't have the form of UI messages, or two have the same id. */
export function checkMessages(messages: readonly AnyUIMessage[], operation: string): void {
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    checkForm(message, `messages[${index}]`, operation);
    if (ids.has(message.id))
      throw invalid(`messages[${index}].id`, "an id that no other message has", operation);
    ids.add(message.id);
  }
}

/** Throws if a message of a client isn't one that a client can send. */
export function checkSent(message: AnyUIMessage, operation: string): void {
  checkForm(message, "message", operation);
  if (message.role === "system") throw invalid("message.role", "user or assistant", operation);
  if (message.role === "assistant") return;
  const index = message.parts.findIndex(({ type }) => !/^(text|file|data-.*)$/s.test(type));
  if (index >= 0) throw invalid(`message.parts[${index}].type`, "text, file or data-*", operation);
}

const ROLES: readonly unknown[] = ["system", "user", "assistant"];

// The type may come from a cast of what a client sent.
function checkForm(message: unknown, path: string, operation: string): void {
  const { id, role, parts } = fieldsOf(message);
  if (typeof id !== "string" || id === "")
    throw invalid(`${path}.id`, "an id; a new reply has one by generateMessageId", operation);
  if (!ROLES.includes(role)) throw invalid(`${path}.role`, "system, user or assistant", operation);
  if (!Array.isArray(parts)) throw invalid(`${path}.parts`, "an array", operation);
  const index = parts.findIndex((part) => !isObject(part) || textField(part, "type") === undefined);
  if (index >= 0) throw invalid(`${path}.parts[${index}]`, "a part with a type", operation);
  if (!isStorable(message)) throw invalid(path, `JSON with at most ${MAX_DEPTH} levels`, operation);
}

/** Whether a message is JSON that isn't deeper than a store accepts. The store checks the values. */
function isStorable(message: unknown): boolean {
  try {
    return !isTooDeep(JSON.stringify(message) ?? "");
  } catch {
    return false;
  }
}
