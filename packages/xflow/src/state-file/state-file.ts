import { chatMemoryConfigSchema } from "@jaf/memory/internal";
import * as z from "zod";
import {
  type AgentStateIssue,
  fieldName,
  issueAt,
  MAX_DEPTH,
  type Path,
  type ReadSource,
  TOO_DEEP,
} from "./issues.ts";
import { readYaml } from "./yaml.ts";

export type ParsedState =
  | { readonly ok: true; readonly state: AgentStateData; readonly issue: IssueOf }
  | { readonly ok: false; readonly issues: readonly AgentStateIssue[] };

/** Creates the issue for a field, with the field's position in the text. */
export type IssueOf = (path: Path, message: string) => AgentStateIssue;

/** Parses one state, or a list that contains one state. */
export function parseState(textOrObject: unknown, maxLength: number): ParsedState {
  const read = readSource(textOrObject, maxLength);
  if (!read.ok) return read;
  const { source } = read;
  const isList = Array.isArray(source.data);
  if (isList && source.data.length !== 1) {
    const message = `expected one agent state but got a list of ${source.data.length}; pass only the state to run`;
    return { ok: false, issues: [issueAt(source, [], message)] };
  }
  const root: Path = isList ? [0] : [];
  const issue: IssueOf = (path, message) => ({
    ...issueAt(source, [...root, ...path], message),
    field: fieldName(path),
  });
  return validate(isList ? source.data[0] : source.data, issue);
}

function readSource(textOrObject: unknown, maxLength: number): ReadSource {
  if (typeof textOrObject === "string") {
    return textOrObject.length > maxLength
      ? { ok: false, issues: [{ field: "", message: tooLong(textOrObject.length, maxLength) }] }
      : readYaml(textOrObject);
  }
  if (typeof textOrObject === "object" && textOrObject !== null) return readObject(textOrObject, maxLength);
  return { ok: false, issues: [{ field: "", message: "expected YAML or JSON as text, or an object" }] };
}

function validate(data: unknown, issue: IssueOf): ParsedState {
  const parsed = agentStateSchema.safeParse(data);
  if (parsed.success) return { ok: true, state: parsed.data, issue };
  const issues = parsed.error.issues.flatMap((found) => {
    const path = found.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    return found.code === "unrecognized_keys"
      ? found.keys.map((key) => issue([...path, key], "an agent state has no such field"))
      : [issue(path, found.message)];
  });
  return { ok: false, issues };
}

/**
 * Copies a state that was given as an object: converts it into JSON and parses the JSON. So later changes of the object
 * have no effect.
 */
function readObject(object: object, maxLength: number): ReadSource {
  const failed = (message: string): ReadSource => ({ ok: false, issues: [{ field: "", message }] });
  let text: string | undefined;
  try {
    text = JSON.stringify(object);
  } catch {
    return failed("expected an object that JSON can represent: without cycles and bigints, not too deep");
  }
  if (text === undefined) return failed("expected an object that JSON can represent");
  if (text.length > maxLength) return failed(tooLong(text.length, maxLength));
  const data: unknown = JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value));
  if (depthOf(data) > MAX_DEPTH) return failed(TOO_DEEP);
  return { ok: true, source: { data, positionOf: () => undefined } };
}

const tooLong = (length: number, maxLength: number): string =>
  `${length} characters, and limits.textLength is ${maxLength}; shorten the state or raise the limit`;

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, held) => Math.max(deepest, depthOf(held)), 0);
}

/** A JSON Schema in a state. It is validated later, when it is compiled. */
const jsonSchema = z.record(z.string(), z.unknown());

const nonEmptyText = z.string().min(1);

const toolSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "expected 1 to 64 letters, digits, _ or -"),
  description: nonEmptyText,
  parameters: jsonSchema.optional(),
  output: jsonSchema.optional(),
});

const outcomeSchema = z.strictObject({ condition: nonEmptyText, transition: nonEmptyText });

/** Maximum number of tools, and maximum number of outcomes, of a state. */
const MAX_ITEMS = 100;

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** The fields of an agent state. Any other field is refused. */
const agentStateSchema = z.strictObject({
  name: nonEmptyText,
  type: z.literal("aiagent"),
  agentName: nonEmptyText,
  aiModel: nonEmptyText,
  systemMessage: z.string(),
  userMessage: nonEmptyText,
  output: jsonSchema.optional(),
  maxToolExecutions: z.int().min(0).optional(),
  memory: chatMemoryConfigSchema
    .refine(({ memoryId }) => memoryId !== undefined, {
      path: ["memoryId"],
      message: "expected the id of the conversation",
    })
    .optional(),
  tools: z
    .array(toolSchema)
    .max(MAX_ITEMS)
    .refine((tools) => unique(tools.map(({ name }) => name)), "expected tools with different names")
    .default([]),
  agentOutcomes: z.array(outcomeSchema).max(MAX_ITEMS).default([]),
});

export type AgentStateData = z.output<typeof agentStateSchema>;
