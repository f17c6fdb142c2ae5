import type { AgentStateIssue } from "./agent-state-error.ts";
import { readObject, tooLong } from "./read-object.ts";
import { readYaml } from "./read-yaml.ts";
import { fieldName, issueAt, type Path, type ReadSource } from "./source.ts";
import { type AgentStateData, agentStateSchema } from "./state-schema.ts";

export type ParsedState =
  | { readonly ok: true; readonly state: AgentStateData; readonly issue: IssueOf }
  | { readonly ok: false; readonly issues: readonly AgentStateIssue[] };

/** An issue of one of the state's fields, with its place in the text. */
export type IssueOf = (path: Path, message: string) => AgentStateIssue;

/** Reads one state, or a list with one. */
export function parseState(textOrObject: unknown, maxLength: number): ParsedState {
  const read = readSource(textOrObject, maxLength);
  if (!read.ok) return read;
  const { source } = read;
  const isList = Array.isArray(source.data);
  if (isList && source.data.length !== 1) {
    const message = `expected one agent state, and got a list of ${source.data.length}; pass the one to run`;
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
