import type { MemoryIssue } from "@jaf/memory";
import type { MemoryConfig, SummaryConfig } from "../memory/config.ts";
import { windowIssues } from "../window/window-issues.ts";

/** What is wrong with the options that decide what a model sees; they are checked without `autoStore`, too. */
export function contextIssues(memory: MemoryConfig | undefined): readonly MemoryIssue[] {
  if (typeof memory !== "object" || memory === null) return [];
  const { window, compressionThreshold, summary } = memory;
  return [
    ...misplacedFields(memory),
    ...windowIssues(window),
    wholeNumberIssue("RunConfig.memory.compressionThreshold", compressionThreshold),
    ...summaryIssues(summary),
  ].filter((issue) => issue !== undefined);
}

function summaryIssues(summary: SummaryConfig | undefined): readonly (MemoryIssue | undefined)[] {
  const path = "RunConfig.memory.summary";
  if (summary === undefined) return [];
  if (typeof summary !== "object" || summary === null) return [{ path, expected: "an object" }];
  const { summarize, timeoutMs } = summary;
  return [
    wholeNumberIssue(`${path}.timeoutMs`, timeoutMs),
    summarize === undefined || typeof summarize === "function"
      ? undefined
      : { path: `${path}.summarize`, expected: "a function" },
  ];
}

/** Fields of a window that mean nothing beside it. `maxMessages` isn't among them: that is how many the store keeps. */
const WINDOW_FIELDS = ["memoryId", "memoryType", "maxTokens", "trimTo", "tokenizer"];

const misplacedFields = (memory: object): readonly MemoryIssue[] =>
  WINDOW_FIELDS.filter((field) => (memory as Readonly<Record<string, unknown>>)[field] !== undefined).map(
    (field) => ({ path: `RunConfig.memory.${field}`, expected: "no such field: put it under memory.window" }),
  );

export function wholeNumberIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return undefined;
  return { path, expected: "a whole number from 1" };
}
