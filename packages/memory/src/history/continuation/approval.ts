/** A user's decision about a tool call that waits for an approval, as the client sends it. */
export type ApprovalDecision = {
  readonly toolCallId: string;
  /**
   * The id of the approval, which the interruption contains. It is only valid for one conversation, one call and the
   * arguments of this call.
   */
  readonly approvalId: string;
  readonly approved: boolean;
  /** The user's reason for the decision. The model sees it. */
  readonly reason?: string;
};

/** A tool call that waits for an approval, as the server knows it. */
export type PendingApproval = Pick<ApprovalDecision, "toolCallId" | "approvalId">;

const isId = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * Checks an untrusted approval decision. Returns a copy with only the documented fields, or `undefined` if the value is
 * invalid.
 *
 * @example
 * ```ts
 * import { parseApprovalDecision } from "@jaf/memory/history";
 *
 * declare const body: unknown;
 *
 * const decision = parseApprovalDecision(body);
 * if (decision === undefined) throw new TypeError("Expected an approval decision.");
 * console.log(decision.toolCallId, decision.approved);
 * ```
 */
export function parseApprovalDecision(value: unknown): ApprovalDecision | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    // Read each field only once, so that a getter can't change a checked value.
    const { toolCallId, approvalId, approved, reason } = value as Readonly<Record<string, unknown>>;
    if (!isId(toolCallId) || !isId(approvalId) || typeof approved !== "boolean") return undefined;
    if (reason === undefined) return Object.freeze({ toolCallId, approvalId, approved });
    return typeof reason === "string"
      ? Object.freeze({ toolCallId, approvalId, approved, reason })
      : undefined;
  } catch {
    return undefined; // A getter or proxy threw.
  }
}
