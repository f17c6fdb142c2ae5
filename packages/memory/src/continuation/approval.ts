import * as z from "zod";
import { lazy } from "../lazy.ts";

/** What a person decided about a tool call that waits for approval. It comes from the client. */
export type ApprovalDecision = {
  readonly toolCallId: string;
  /** The id that the interruption gave: it binds the decision to one conversation, one call and its arguments. */
  readonly approvalId: string;
  readonly approved: boolean;
  /** Why, for the model to read. */
  readonly reason?: string;
};

/** A tool call that waits for approval. It comes from the server. */
export type PendingApproval = Pick<ApprovalDecision, "toolCallId" | "approvalId">;

const decisionSchema = lazy(() =>
  z.object({
    toolCallId: z.string().min(1),
    approvalId: z.string().min(1),
    approved: z.boolean(),
    reason: z.string().optional(),
  }),
);

/** The door for a decision from outside: a copy that holds the documented fields and nothing else; `undefined` for what is none. */
export function parseApprovalDecision(value: unknown): ApprovalDecision | undefined {
  try {
    const parsed = decisionSchema().safeParse(value);
    if (!parsed.success) return undefined;
    const { reason, ...decision } = parsed.data;
    return Object.freeze(reason === undefined ? decision : { ...decision, reason });
  } catch {
    return undefined; // A getter or a proxy threw.
  }
}
