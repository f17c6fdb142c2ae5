import * as z from "zod";
import type { EncodedMessage } from "../backend/backend.ts";
import type { MemoryIssue } from "../errors.ts";
import { unstorable } from "./checks.ts";
import { encodeJson } from "./json.ts";
import { messageRoles } from "./message-shape.ts";
import { encodePlainMessage } from "./plain-message.ts";
import { schemaIssues } from "./schema-issues.ts";

/** Messages on their way into a store. */
export interface Batch {
  readonly messages: EncodedMessage[];
  readonly issues: MemoryIssue[];
  /** Whether a message has the role `system` or `developer`. */
  holdsSystemContent: boolean;
}

function encodeMessage(message: unknown, index: number, batch: Batch): EncodedMessage {
  const { issues } = batch;
  const path = () => `messages[${index}]`;
  try {
    const plain = encodePlainMessage(message);
    if (plain !== undefined) return plain;
    const body = encodeJson(message);
    // What is stored, and not what was passed in: a getter answers anew, and hidden fields are not stored. Tags stay tags:
    // no field of the schema may be a date, bytes or a URL.
    const parsed = messageSchema.safeParse(JSON.parse(body));
    if (parsed.success) {
      const { role } = parsed.data;
      if (role === "system" || role === "developer") batch.holdsSystemContent = true;
      return { body, isToolResult: role === "tool" };
    }
    for (const { path: field, expected } of schemaIssues(parsed.error)) {
      issues.push({ path: `${path()}${field}`, expected });
    }
  } catch (thrown) {
    issues.push(unstorable(path(), thrown));
  }
  return { body: "", isToolResult: false };
}

/** Validates and encodes messages; collects into `issues`. */
export function encodeBatch(messages: unknown, issues: MemoryIssue[]): Batch {
  const batch: Batch = { messages: [], issues, holdsSystemContent: false };
  if (!Array.isArray(messages)) {
    issues.push({ path: "messages", expected: "an array of messages" });
    return batch;
  }
  // Unlike `map`, this visits holes.
  for (let index = 0; index < messages.length; index++) {
    batch.messages.push(encodeMessage(messages[index], index, batch));
  }
  return batch;
}

/** Of a batch, nothing but the messages. */
export const encodeMessages = (messages: unknown, issues: MemoryIssue[]): readonly EncodedMessage[] =>
  encodeBatch(messages, issues).messages;

const customCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string(), input: z.string() }),
});

/** Some gateways leave out the type, or have one of their own. */
const functionCallSchema = z.looseObject({
  id: z.string(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const isCustom = (call: unknown): boolean =>
  typeof call === "object" && call !== null && "type" in call && call.type === "custom";

/** Not a union: of that, an issue would name no field. */
const toolCallSchema = z.unknown().superRefine((call, context) => {
  const parsed = (isCustom(call) ? customCallSchema : functionCallSchema).safeParse(call);
  for (const { path, message } of parsed.error?.issues ?? []) {
    context.addIssue({ code: "custom", path, message });
  }
});

const contentPartSchema = z.looseObject({ type: z.string() });

/**
 * The shape of a stored message. Unknown fields are allowed; what passes is kept as it came, not as zod copies it. The ids
 * of calls are as providers gave them: also empty, and also several times the same.
 */
export const messageSchema = z.looseObject({
  role: z.enum(messageRoles),
  content: z.union([z.string(), z.array(contentPartSchema), z.null()], {
    error: "expected a string, an array of content parts, or null",
  }),
  // `null` for "none" is what dumps of other systems hold.
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
});
