import { createTool, type Middleware, type Tool, ToolResponse } from "@jaf/core";
import type { Message } from "@jaf/memory";
import * as z from "zod";
import type { ToolFunction } from "../options.ts";
import type { AgentStateIssue } from "../state-file/issues.ts";
import type { AgentStateData, IssueOf } from "../state-file/state-file.ts";
import { compileSchema } from "./json-schema.ts";

type ToolData = AgentStateData["tools"][number];

export interface BuiltTools<Ctx> {
  readonly value: readonly Tool<unknown, Ctx>[];
  readonly issues: readonly AgentStateIssue[];
}

/** Creates the state's tools from its descriptions and the application's functions. */
export function buildTools<Ctx>(
  { tools }: AgentStateData,
  functions: Readonly<Record<string, ToolFunction<Ctx>>>,
  issue: IssueOf,
): BuiltTools<Ctx> {
  const issues: AgentStateIssue[] = [];
  const value = tools.map((tool, index) => {
    const schemaOf = (field: "parameters" | "output", whenAbsent: z.ZodType<unknown>) => {
      const json = tool[field];
      const compiled = json && compileSchema(json);
      if (compiled === undefined) return whenAbsent;
      if (compiled.ok) return compiled.schema;
      issues.push(issue(["tools", index, field], compiled.problem));
      return whenAbsent;
    };
    const parameters = schemaOf("parameters", z.strictObject({}));
    const output = schemaOf("output", z.unknown());
    const execute = Object.hasOwn(functions, tool.name) ? functions[tool.name] : undefined;
    if (execute === undefined) {
      issues.push(issue(["tools", index, "name"], "expected a tool for which options.tools has a function"));
    }
    return bindTool(tool, { parameters, output, execute: execute ?? (() => undefined) });
  });
  return { value, issues };
}

function bindTool<Ctx>(
  { name, description }: ToolData,
  bound: {
    readonly parameters: z.ZodType<unknown>;
    readonly output: z.ZodType<unknown>;
    readonly execute: ToolFunction<Ctx>;
  },
): Tool<unknown, Ctx> {
  return createTool<z.ZodType<unknown>, Ctx>({
    name,
    description,
    parameters: bound.parameters,
    execute: async (args, context, call) => {
      if (call === undefined) throw new TypeError("A tool of an agent state can only be called in a run.");
      const returned: unknown = await bound.execute(args as object, context, call);
      const checked = bound.output.safeParse(returned);
      if (!checked.success) {
        const issues = checked.error.issues.map(({ path, message }) => `${path.join("/")}: ${message}`);
        return ToolResponse.error("INVALID_OUTPUT", "The tool's result doesn't match its output schema.", {
          issues,
        });
      }
      if (typeof returned === "string") return returned;
      return typeof returned === "object" && returned !== null ? returned : JSON.stringify(returned ?? null);
    },
  });
}

/**
 * Creates a middleware that limits the number of executed tool calls per turn. The middleware counts the calls in the
 * conversation, so the count continues if another process resumes the turn. At the limit, the model can't call tools
 * any more, and further calls get an error. The tools stay in the request: some services refuse a history that has
 * calls without tools, and a change of the tools would make the prompt cache useless. Create one middleware for each
 * run.
 */
export function toolLimit(limit: number): Middleware<unknown> {
  /** Number of executed calls of the last reply. Their results aren't in the conversation yet. */
  let begun = 0;
  return {
    name: "max-tool-executions",
    wrapModelCall: ({ state, modelConfig }, next) => {
      begun = 0;
      const mayCall = resultsOfTurn(state.messages) < limit;
      return next(mayCall ? {} : { modelConfig: { ...modelConfig, toolChoice: "none" } });
    },
    wrapToolCall: ({ turn }, next) => {
      if (resultsOfTurn(turn.messages) + begun >= limit) {
        return ToolResponse.error(
          "TOOL_LIMIT",
          "The tools may not be used again now. Answer with what you have.",
        );
      }
      begun += 1;
      return next();
    },
  };
}

/** Returns the number of tool results since the user's last message. */
function resultsOfTurn(messages: readonly Message[]): number {
  const said = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(said + 1).filter(({ role }) => role === "tool").length;
}
