import { callObserver, maskingOf } from "../thrown.ts";
import {
  isToolResult,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
} from "./result.ts";
import type { ToolCallInfo } from "./tool.ts";

/** One finished execution of a tool, without arguments and result, because they can quote the conversation. */
export interface ToolLogEntry {
  readonly toolName: string;
  readonly status: ToolResultStatus;
  readonly executionTimeMs: number;
  /** The error that the tool threw, if any. */
  readonly error?: unknown;
}

export interface ErrorHandlingOptions {
  /**
   * Called once for each execution. If it throws, the error becomes a process warning and the tool's result doesn't change.
   * Default: nothing is logged.
   */
  readonly log?: (entry: ToolLogEntry) => void;
  /**
   * Masks secrets in the error message that the model gets. The log gets the unmasked error. See `RunConfig.maskSecrets`.
   * Default `true`.
   */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
}

type Unwrapped<R> = R extends ToolResult<infer T> ? T : R;

/**
 * Returns an `execute` function that never throws. A return value of `executor` becomes a successful result (a
 * {@link ToolResult} keeps its status). A thrown error becomes an error result with code `EXECUTION_FAILED`. Both have the
 * tool's name and `executionTimeMs`.
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
          () => `The log of withErrorHandling failed for tool "${toolName}"; its result stands.`,
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
