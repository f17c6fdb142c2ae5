// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
// biome-ignore-all lint/correctness/noUnusedFunctionParameters: verbatim
import {
  type Tool as OurTool,
  type ToolResult as OurToolResult,
  type Tool,
  ToolErrorCodes,
  ToolResponse,
  type ToolResultStatus,
  withErrorHandling,
} from "@jaf/core";
import * as z from "zod";
import { assertType, type MyContext, type Same } from "./support.ts";

declare namespace Spec {
  export type Tool<A, Ctx> = {
    readonly schema: {
      readonly name: string;
      readonly description: string;
      readonly parameters: z.ZodType<A>;
    };
    readonly execute: (args: A, context: Readonly<Ctx>) => Promise<string | OurToolResult>;
  };
  export interface ToolResult<T = any> {
    readonly status: ToolResultStatus;
    readonly data?: T;
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly details?: any;
    };
    readonly metadata?: {
      readonly executionTimeMs?: number;
      readonly toolName?: string;
      readonly [key: string]: any;
    };
  }
}

type Args = { query: string };
assertType<Same<Spec.Tool<Args, MyContext>["schema"], OurTool<Args, MyContext>["schema"]>>();
assertType<Same<Spec.ToolResult<number>, OurToolResult<number>>>();
export const toOurs = (tool: Spec.Tool<Args, MyContext>): OurTool<Args, MyContext> => tool;
export const toSpec = (tool: OurTool<Args, MyContext>): Spec.Tool<Args, MyContext> => tool;

declare function performSearch(query: string, limit?: number): Promise<readonly string[]>;
declare const startTime: number;
declare const searchResults: readonly string[];
declare function riskyOperation(args: any): Promise<string>;

export const searchTool: Tool<{ query: string; limit?: number }, MyContext> = {
  schema: {
    name: "web_search",
    description: "Search the web for information",
    parameters: z.object({
      query: z.string().min(1),
      limit: z.number().default(10).optional(),
    }),
  },
  execute: async (args, context) => {
    // Tool execution logic
    const results = await performSearch(args.query, args.limit);

    // Return string or ToolResult object
    return ToolResponse.success(results, {
      executionTimeMs: Date.now() - startTime,
      toolName: "web_search",
    });
  },
};

export const answers: readonly (() => string | OurToolResult)[] = [
  () => {
    // String response (simple)
    return "Search completed successfully";
  },
  () => {
    // ToolResult response (structured)
    return ToolResponse.success(searchResults, {
      executionTimeMs: 150,
      resultsCount: searchResults.length,
    });
  },
  () => {
    // Error response
    return ToolResponse.error(
      ToolErrorCodes.EXTERNAL_SERVICE_ERROR,
      "Search service temporarily unavailable",
    );
  },
];

export const validatedTool = withErrorHandling("my-tool", async (args, context) => {
  // Tool logic that may throw
  const result = await riskyOperation(args);
  return result;
});
