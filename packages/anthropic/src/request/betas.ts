import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import type { WireMessage } from "../parts.ts";

/** Finds out what a request uses. */
interface Used {
  readonly field: (name: string) => boolean;
  readonly tool: (type: string) => boolean;
  readonly block: (type: string) => boolean;
  readonly edit: (type: string) => boolean;
  readonly body: Fields;
}

/** The beta features that Anthropic documents as required, and what requires them. */
const BETAS: readonly (readonly [beta: string, isUsed: (used: Used) => boolean])[] = [
  ["files-api-2025-04-14", ({ body }) => listOf(body["messages"]).some(hasFile)],
  ["thinking-binding-controls-2026-08-01", ({ body }) => "block_binding" in fieldsOf(body["thinking"])],
  ["context-management-2025-06-27", ({ edit }) => edit("clear_")],
  ["compact-2026-01-12", ({ edit, block }) => edit("compact_") || block("compaction")],
  ["mcp-client-2025-11-20", ({ field, block }) => field("mcp_servers") || block("mcp_")],
  ["skills-2025-10-02", ({ body }) => "skills" in fieldsOf(body["container"])],
  ["computer-use-2025-11-24", ({ tool }) => tool("computer_20251124")],
  ["computer-use-2025-01-24", ({ tool }) => tool("computer_20250124")],
  ["advisor-tool-2026-03-01", ({ tool, block }) => tool("advisor_") || block("advisor_")],
  ["server-side-fallback-2026-07-01", ({ field, block }) => field("fallbacks") || block("fallback")],
  ["task-budgets-2026-03-13", ({ body }) => "task_budget" in fieldsOf(body["output_config"])],
];

/** A beta feature without its date. */
const featureOf = (beta: string): string => beta.replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The given betas, and those that the request requires. A given version of a feature isn't replaced. */
export function betasOf(body: Fields, given: readonly string[]): readonly string[] {
  const features = new Set(given.map(featureOf));
  const begins = (items: unknown, type: string): boolean =>
    listOf(items).some((item) => String(fieldsOf(item)["type"]).startsWith(type));
  const messages = listOf(body["messages"]) as readonly WireMessage[];
  const used: Used = {
    body,
    field: (name) => body[name] !== undefined,
    tool: (type) => begins(body["tools"], type),
    block: (type) => messages.some(({ content }) => begins(content, type)),
    edit: (type) => begins(fieldsOf(body["context_management"])["edits"], type),
  };
  const needed = BETAS.filter(([beta, isUsed]) => !features.has(featureOf(beta)) && isUsed(used));
  return [...new Set([...given, ...needed.map(([beta]) => beta)])];
}

const hasFile = (block: unknown): boolean => {
  const { source, content } = fieldsOf(block);
  return fieldsOf(source)["type"] === "file" || listOf(content).some(hasFile);
};
