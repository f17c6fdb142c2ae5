import { type AgentStateIssue, fieldName, type Path } from "../state-file/issues.ts";
import type { AgentStateData, IssueOf } from "../state-file/state-file.ts";
import type { JqEvaluator } from "./jq.ts";
import { parseTemplate, soleExpression, type Template } from "./template.ts";

/** A text of the state that can contain jq expressions, and the path of its field. */
export interface FieldTemplate {
  readonly field: string;
  readonly template: Template;
}

interface Outcome {
  readonly field: string;
  readonly condition: string;
  readonly expression: string;
  readonly transition: string;
}

/** The texts and conditions of a state, as compiled expressions. */
export interface StateTemplates {
  readonly systemMessage: FieldTemplate;
  readonly userMessage: FieldTemplate;
  readonly memoryId: FieldTemplate | undefined;
  readonly outcomes: readonly Outcome[];
}

/** Name of the variable for the agent's reply in conditions. */
const OUTCOME_VARIABLE = "agentOutcome";

/** Maximum number of expressions in a state. Each takes some milliseconds to compile. */
const MAX_EXPRESSIONS = 200;

/** Finds and compiles the expressions of a state. Returns an issue for each expression that doesn't compile. */
export async function compileTemplates(
  state: AgentStateData,
  jq: JqEvaluator,
  issue: IssueOf,
): Promise<{ readonly templates: StateTemplates; readonly issues: readonly AgentStateIssue[] }> {
  const issues: AgentStateIssue[] = [];
  let expressions = 0;

  const compile = async (path: Path, source: string, variables: readonly string[]): Promise<Template> => {
    const parsed = parseTemplate(source);
    if (!parsed.ok) {
      issues.push(issue(path, `expected ${parsed.expected}`));
      return [];
    }
    expressions += parsed.template.filter(({ type }) => type === "expression").length;
    if (expressions > MAX_EXPRESSIONS) {
      issues.push(
        issue(path, `more than ${MAX_EXPRESSIONS} expressions in the state; an agent state needs fewer`),
      );
      return [];
    }
    for (const part of parsed.template) {
      if (part.type === "text") continue;
      const compiled = await jq.compile(part.expression, variables);
      if (compiled.ok) continue;
      const problem = compiled.reason === "failed" ? firstLine(compiled.detail) : REASONS[compiled.reason];
      issues.push(issue(path, `not valid jq: ${problem}`));
    }
    return parsed.template;
  };
  const text = async (path: Path, source: string): Promise<FieldTemplate> => ({
    field: fieldName(path),
    template: await compile(path, source, []),
  });

  const outcomes: Outcome[] = [];
  const templates: StateTemplates = {
    systemMessage: await text(["systemMessage"], state.systemMessage),
    userMessage: await text(["userMessage"], state.userMessage),
    memoryId:
      state.memory?.memoryId === undefined
        ? undefined
        : await text(["memory", "memoryId"], state.memory.memoryId),
    outcomes,
  };
  for (const [index, { condition, transition }] of state.agentOutcomes.entries()) {
    const path = ["agentOutcomes", index, "condition"];
    const template = await compile(path, condition, [OUTCOME_VARIABLE]);
    const expression = soleExpression(template);
    if (expression === undefined && template.length > 0) {
      issues.push(issue(path, "expected a single template with one jq expression"));
    }
    outcomes.push({ field: fieldName(path), condition, transition, expression: expression ?? "false" });
  }
  return { templates, issues };
}

const REASONS = {
  time: "it takes too long to compile",
  memory: "it takes too much memory to compile",
  output: "it is too long",
  worker: "the jq worker couldn't start or crashed",
} as const;

/**
 * Returns the first line of jq's message about an expression, without the part about jq's command line. The line quotes
 * at most the expression, not the input.
 */
const firstLine = (detail: string): string =>
  (detail.split("\n")[0] ?? "")
    .replace(/^jq: error: /, "")
    .replace(" (Unix shell quoting issues?)", "")
    .replace(/ at <top-level>, line \d+:$/, "")
    .slice(0, 200);
