import type { Tool } from "@jaf/core";
import type { Connection } from "../connection/connection.ts";
import type { McpApproval, ParsedOptions, ParsedServer } from "../options.ts";

// biome-ignore lint/suspicious/noExplicitAny: each tool has its own arguments, and works with every context
export type McpTool = Tool<any, any>;

/** The server that tools belong to. */
export interface ToolSource {
  readonly name: string;
  readonly server: ParsedServer;
  readonly options: ParsedOptions;
  readonly connection: Connection;
}

export interface Hints {
  /** Whether calls change nothing. */
  readonly readOnly: boolean;
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean;
  /** Whether calls may destroy something. */
  readonly destructive: boolean;
}

/** Whether calls of a tool may be repeated, and whether they need an approval. */
export function safetyOf(
  { name, server: { trusted, approval } }: ToolSource,
  tool: string,
  { readOnly, idempotent, destructive }: Hints,
): Required<Pick<McpTool, "repeatable" | "needsApproval">> {
  return {
    repeatable: trusted && (readOnly || idempotent),
    needsApproval: approvalOf(approval ?? (trusted && (readOnly || !destructive) ? "never" : "always"), {
      server: name,
      tool,
    }),
  };
}

function approvalOf(
  approval: McpApproval,
  call: { readonly server: string; readonly tool: string },
): NonNullable<McpTool["needsApproval"]> {
  if (typeof approval !== "function") return approval === "always";
  return async (args: Readonly<Record<string, unknown>>) => approval({ ...call, args });
}
