import { createHash } from "node:crypto";
import type { ToolCall } from "@jaf/memory";

/** Which request for an approval: of which reply of which conversation, and the how many-th. */
export interface ApprovalScope {
  /** The conversation; the run where nothing is stored. */
  readonly owner: string;
  readonly position: number;
  /** Random, where something is stored: so a conversation of the same id that is made anew is another. */
  readonly scope: string;
  readonly round: number;
}

/** The same for the same call in the same place with the same arguments, and for nothing else. */
export function approvalIdOf({ owner, position, scope, round }: ApprovalScope, call: ToolCall): string {
  const { id, function: called } = call;
  const bound = JSON.stringify([owner, position, scope, round, id, called.name, called.arguments]);
  return `appr_${createHash("sha256").update(bound).digest("base64url")}`;
}
