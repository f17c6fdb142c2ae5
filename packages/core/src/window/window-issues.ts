import type { MemoryIssue } from "@jaf/memory";
import { parseChatMemoryConfig } from "@jaf/memory/client";

export const PATH = "RunConfig.memory.window";

/** What is wrong with a window's configuration. */
export function windowIssues(window: unknown): readonly MemoryIssue[] {
  if (window === undefined || typeof window === "function") return [];
  if (typeof window !== "object" || window === null)
    return [{ path: PATH, expected: "a window's configuration, or a function" }];
  return issuesIn(window);
}

function issuesIn(window: object): readonly MemoryIssue[] {
  const { tokenizer, ...config } = fieldsOf(window);
  const issues: MemoryIssue[] = [];
  if ("select" in window) {
    const { select, maxMessages, ...others } = config;
    const [unknown] = Object.keys(others).filter((field) => others[field] !== undefined);
    if (typeof select !== "function") issues.push({ path: `${PATH}.select`, expected: "a function" });
    if (unknown !== undefined || tokenizer !== undefined)
      issues.push({ path: `${PATH}.${unknown ?? "tokenizer"}`, expected: "no such field beside select" });
    return [...issues, ...windowIssues({ maxMessages })];
  }
  const parsed = parseChatMemoryConfig(config);
  if (!parsed.success && parsed.error._tag === "MemoryValidationError") {
    for (const { path, expected } of parsed.error.issues)
      issues.push({ path: path.replace(/^memory/, PATH), expected });
  }
  if (tokenizer !== undefined && typeof tokenizer !== "function")
    issues.push({ path: `${PATH}.tokenizer`, expected: "a function from a text to its number of tokens" });
  return issues;
}

const FIELDS = ["memoryId", "memoryType", "maxMessages", "maxTokens", "trimTo", "tokenizer", "select"];

/** A class may have them on its prototype. */
export const fieldsOf = (window: object): Readonly<Record<string, unknown>> => ({
  ...window,
  ...Object.fromEntries(
    FIELDS.filter((field) => field in window).map((field) => [field, Reflect.get(window, field)]),
  ),
});
