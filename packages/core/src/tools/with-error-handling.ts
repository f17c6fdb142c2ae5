import { callObserver, maskingOf } from "../thrown.ts";
import {
  isToolResult,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
} from "./result.ts";
import type { ToolCallInfo } from "./tool.ts";

/**
 * One finished execution of a tool, to be logged. It has no arguments and no result, because they can quote the
 * conversation.
 */
export interface ToolLogEntry {
  /** The name of the tool. */
  readonly toolName: string;
  /** The status of the result. */
  readonly status: ToolResultStatus;
  /** How long the execution took, in milliseconds. */
  readonly executionTimeMs: number;
  /** The error that the tool threw. Absent: it threw none. */
  readonly error?: unknown;
}

/** The options of {@link withErrorHandling}. */
export interface ErrorHandlingOptions {
  /**
   * Called once after each execution of the tool. If `log` throws, the error becomes a process warning and the tool's result
   * doesn't change. Default: nothing is logged.
   */
  readonly log?: (entry: ToolLogEntry) => void;
  /**
   * Masks secrets in the error message that the model gets. `log` gets the unmasked error. Default `true`; see
   * `RunConfig.maskSecrets`.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
}

type Unwrapped<R> = R extends ToolResult<infer T> ? T : R;

/**
 * Returns an `execute` function for a tool that never throws. Every result gets the tool's name and `executionTimeMs`
 * as metadata.
 *
 * - If `executor` returns a {@link ToolResult}, the result keeps its status.
 * - If it returns any other value, the value becomes the data of a successful result.
 * - If it throws, the result is an error with code `EXECUTION_FAILED`.
 *
 * @example
 * ```ts
 * import { createTool, withErrorHandling } from "@jaf/core";
 * import * as z from "zod";
 *
 * export const weather = createTool({
 *   name: "get_weather",
 *   description: "The weather in a city",
 *   parameters: z.object({ city: z.string() }),
 *   execute: withErrorHandling("get_weather", async ({ city }: { city: string }) => {
 *     const response = await fetch(`https://weather.example/${encodeURIComponent(city)}`);
 *     if (!response.ok) throw new Error(`The weather service answered with ${response.status}`);
 *     return { report: await response.text() };
 *   }),
 * });
 * ```
 */
export function withErrorHandling<A, Ctx, R>(
  toolName: string,
  executor: (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<R> | R,
  options: ErrorHandlingOptions = {},
): (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<ToolResult<Unwrapped<R>>> {
  const mask = maskingOf(options);
  return async (args, context, call) => {
    const start = performance.now();
    const finish = (result: ToolResult, failure?: { readonly error: unknown }): ToolResult => {
      const executionTimeMs = performance.now() - start;
      if (options.log !== undefined) {
        callObserver(
          () => options.log?.({ toolName, status: result.status, executionTimeMs, ...failure }),
          () => `The log of withErrorHandling failed for tool "${toolName}"; its result is unchanged.`,
        );
      }
      return { ...result, metadata: { executionTimeMs, toolName, ...result.metadata } };
    };
    try {
      const value = await executor(args, context, call);
      return finish(isToolResult(value) ? value : ToolResponse.success(value));
    } catch (error) {
      const message = error instanceof Error ? error.message : "The tool failed without an error message";
      return finish(ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, mask(message)), { error });
    }
  };
}
