import { type Fields, fieldsOf, listOf } from "@jaf/model-http";

/** The beta features that Anthropic documents as required, and the fields and types of a request that require them. */
const BETAS: Readonly<Record<string, RegExp>> = {
  "files-api-2025-04-14": /^file$/,
  "thinking-binding-controls-2026-08-01": /^block_binding$/,
  "context-management-2025-06-27": /^clear_/,
  "compact-2026-01-12": /^compact/,
  "mcp-client-2025-11-20": /^mcp_/,
  "skills-2025-10-02": /^skills$/,
  "computer-use-2025-11-24": /^computer_20251124$/,
  "computer-use-2025-01-24": /^computer_20250124$/,
  "advisor-tool-2026-03-01": /^advisor_/,
  "server-side-fallback-2026-07-01": /^fallbacks?$/,
  "task-budgets-2026-03-13": /^task_budget$/,
};

/** A beta feature without its date. */
const featureOf = (beta: string): string => beta.replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The given betas, and those that the request requires. A given version of a feature isn't replaced. */
export function betasOf(body: Fields, given: readonly string[]): readonly string[] {
  const features = new Set(given.map(featureOf));
  const used = namesIn(body);
  const isNeeded = ([beta, names]: readonly [string, RegExp]): boolean =>
    !features.has(featureOf(beta)) && used.some((name) => names.test(name));
  const needed = Object.entries(BETAS).filter(isNeeded);
  return [...new Set([...given, ...needed.map(([beta]) => beta)])];
}

/** The names of a request's fields, and the types of its tools, edits and blocks. */
function namesIn(body: Fields): readonly string[] {
  const { container, thinking, output_config, tools, context_management, messages } = body;
  return [
    ...[body, container, thinking, output_config].flatMap((fields) => Object.keys(fieldsOf(fields))),
    ...[tools, fieldsOf(context_management)["edits"], messages].flatMap(typesIn),
  ];
}

const typesIn = (items: unknown): readonly string[] =>
  listOf(items)
    .map(fieldsOf)
    .flatMap(({ type, source, content }) => [
      String(type),
      String(fieldsOf(source)["type"]),
      ...typesIn(content),
    ]);
