import { createMemoryConnectionError } from "@jaf/memory";
import { createMemoryValidationError } from "@jaf/memory/adapter";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type ErrorSeverity, type JAFError, JAFErrorHandler } from "../src/index.ts";

const issues = (n: number): z.ZodIssue[] => {
  const schema = z.object(
    Object.fromEntries(Array.from({ length: n }, (_, index) => [`f${index}`, z.number()])),
  );
  return (schema.safeParse({}).error?.issues ?? []) as z.ZodIssue[];
};

const callError = (retryable: boolean): JAFError => ({
  _tag: "ModelCallError",
  attempts: 3,
  retryable,
  status: 503,
  cause: { name: "Error", message: "overloaded" },
});

type Row = readonly [error: JAFError, text: string, retryable: boolean, severity: ErrorSeverity];

const rows: readonly Row[] = [
  [
    { _tag: "MaxTurnsExceeded", turns: 50 },
    "The run was stopped after 50 steps without a final reply.",
    false,
    "low",
  ],
  [
    { _tag: "BudgetExceeded", of: "run", limit: "maxTokens", allowed: 100, spent: 120 },
    "The budget of the run is used up: 120 of 100 (maxTokens).",
    false,
    "low",
  ],
  [
    { _tag: "ModelBehaviorError", detail: "the reply is empty" },
    "The model behaved unexpectedly: the reply is empty",
    true,
    "medium",
  ],
  [
    { _tag: "ModelRefused", refusal: "I can't tell you about Ann." },
    "The model refused to answer.",
    false,
    "high",
  ],
  [
    { _tag: "DecodeError", errors: issues(1) },
    "The final reply does not match the agent's output: f0 (invalid_type)",
    false,
    "high",
  ],
  [{ _tag: "InputGuardrailTripwire", reason: "rude" }, "The input was blocked: rude", false, "high"],
  [{ _tag: "OutputGuardrailTripwire", reason: "rude" }, "The output was blocked: rude", false, "high"],
  [
    { _tag: "ToolCallError", tool: "pay", detail: "no funds" },
    'The tool "pay" failed: no funds',
    true,
    "medium",
  ],
  [{ _tag: "HandoffError", detail: "not allowed" }, "The handoff failed: not allowed", false, "critical"],
  [{ _tag: "AgentNotFound", agentName: "x" }, 'No agent "x" is registered.', false, "critical"],
  [
    { _tag: "InternalError", detail: 'agent "x" has two tools named "y"' },
    'The run failed because of a bug in the program: agent "x" has two tools named "y"',
    false,
    "critical",
  ],
  [
    {
      _tag: "InternalError",
      detail: "it threw",
      cause: { name: "TypeError", message: "x is not a function" },
    },
    "The run failed because of a bug in the program: it threw: x is not a function",
    false,
    "critical",
  ],
  [callError(true), "The model call failed 3 times with status 503: overloaded", true, "medium"],
  [callError(false), "The model call failed 3 times with status 503: overloaded", false, "critical"],
  [
    { _tag: "MemoryError", error: createMemoryConnectionError("redis", "start it") },
    "Cannot reach the redis memory store: start it.",
    true,
    "high",
  ],
  [
    { _tag: "MemoryError", error: createMemoryValidationError([{ path: "id", expected: "a string" }]) },
    "Invalid input: id: expected a string.",
    false,
    "critical",
  ],
  [{ _tag: "RunAborted", reason: "the user left" }, "The run was aborted: the user left", false, "low"],
];

describe("JAFErrorHandler", () => {
  it.each(rows)("classifies %j", (error, text, retryable, severity) => {
    for (const handler of [JAFErrorHandler, new JAFErrorHandler()]) {
      expect(handler.format(error)).toBe(text);
      expect(handler.isRetryable(error)).toBe(retryable);
      expect(handler.getSeverity(error)).toBe(severity);
    }
  });

  it("quotes neither the messages of issues nor keys that the model chose", () => {
    const issue = (path: PropertyKey[]) => ({
      code: "custom" as const,
      path,
      message: 'Expected number but received "Ada has the flu"',
      input: undefined,
    });
    const errors = [issue([]), issue(["days", 0]), issue(["of", "Ada Lovelace's"]), issue([Symbol("a")])];
    expect(JAFErrorHandler.format({ _tag: "DecodeError", errors })).toBe(
      "The final reply does not match the agent's output: the whole (custom); days.0 (custom); of.? (custom); ? (custom)",
    );
  });

  it("shows at most five issues", () => {
    const text = JAFErrorHandler.format({ _tag: "DecodeError", errors: issues(8) });
    expect(text).toContain("f4 (");
    expect(text).not.toContain("f5 (");
    expect(text).toMatch(/and 3 more$/);
  });

  it("has functions that can be passed around", () => {
    const { format } = new JAFErrorHandler();
    expect([{ _tag: "AgentNotFound", agentName: "x" } as const].map(format)).toEqual([
      'No agent "x" is registered.',
    ]);
  });
});
