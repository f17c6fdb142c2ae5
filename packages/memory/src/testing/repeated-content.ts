import type { Method } from "./result-shape.ts";

/** Shorter texts turn up in errors by chance. */
const MIN_LENGTH = 16;
/** Enough for what people and models say; hostile input is nested without end. */
const DEPTH = 12;

/** The texts in a value. Read without calling getters: those of hostile input throw. */
function* textsIn(value: unknown, depth = DEPTH): Generator<string> {
  if (typeof value === "string") {
    if (value.length >= MIN_LENGTH) yield value;
    return;
  }
  if (typeof value !== "object" || value === null || depth === 0) return;
  for (const [key, { value: field }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // An id for finding the operation, not content.
    if (key !== "traceId") yield* textsIn(field, depth - 1);
  }
}

/** Read without calling a getter, as above. */
const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, field)?.value
    : undefined;

/** The arguments that contain content, or identify a user. */
function contentArguments(method: Method, given: readonly unknown[]): readonly unknown[] {
  const [first, messages, metadata] = given;
  switch (method) {
    case "storeMessages":
    case "appendMessages":
      return [messages, metadata];
    case "clearUserConversations":
    case "getStats":
      return [first];
    case "findConversations":
      return [fieldOf(first, "userId")];
    case "readConversation":
      return [fieldOf(messages, "userId")];
    case "importConversation":
      return ["userId", "messages", "metadata"].map((field) => fieldOf(first, field));
    default:
      return [];
  }
}

/** Whether an error repeats content, tool arguments, metadata or a user id that was passed in. */
export function repeatsContent(method: Method, error: unknown, given: readonly unknown[]): boolean {
  const report = JSON.stringify(error);
  for (const text of textsIn(contentArguments(method, given))) {
    if (report.includes(JSON.stringify(text).slice(1, -1))) return true;
  }
  return false;
}
