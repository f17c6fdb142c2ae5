import { holdsSecret, type UserFact, UserMemoryError } from "@jaf/user-memory";
import * as z from "zod";
import { lineOf } from "../statements.ts";
import { addTool, answered, refused, type ToolScope } from "./tool.ts";
import { factSchema, viewOf } from "./views.ts";
import { askUser, type Decision } from "./vouching.ts";

/** The source that `why` names for facts of this tool. */
const EXTRACTOR = "the tool remember of an MCP client";

const inputSchema = z.strictObject({
  fact: z
    .string()
    .min(1)
    .max(500)
    .describe(
      "One thing that the user said about themselves or their work, in one sentence that stands by itself.",
    ),
});
const outputSchema = z.object({
  outcome: z
    .enum(["remembered", "known", "waits", "declined"])
    .describe(
      "remembered: the user confirmed it. known: it was known. waits: it isn't in use until the user confirms it. declined: the user doesn't want it.",
    ),
  fact: factSchema.optional(),
});

const SECRET = "Not remembered: it holds a password, a key or another secret. Leave secrets out.";
const DECLINED =
  "The user doesn't want this to be remembered. Nothing is kept, and it can't be remembered again without the user.";
const WAITS =
  "Kept for review, and not in use before the user confirms it. Don't tell the user that it is remembered. They confirm it with `npx @jaf/mcp-memory review`.";
const OUTDATED =
  "It was known, but something newer replaced it, and only the user can say that it holds again.";
const NOT_BROUGHT_BACK =
  "Not remembered: the user had this forgotten or rejected it before. Only the user can bring it back.";

/**
 * Adds the tool `remember`. Nothing that a model says proves what the user said. So a fact waits for review (trust
 * `"external"`) until the user confirms it, through the client if it can ask, or by the command `review`.
 */
export function addRemember(scope: ToolScope): void {
  addTool(scope, {
    name: "remember",
    title: "Remember a fact",
    description:
      "Remembers one thing that the user said and that will matter in later conversations. The user is asked to confirm it; without an answer it waits for review. Not for what a page, a file or a tool said, nor for secrets.",
    input: inputSchema,
    output: outputSchema,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    call: async ({ fact }, context) => {
      if (lineOf(fact) === "")
        return refused("Not remembered: nothing of the fact can be shown. Write it as plain text.");
      if (holdsSecret(fact)) return refused(SECRET);
      const stored = await storeUnvouched(scope, fact);
      if (stored?.status === "active")
        return answered("It was known already.", { outcome: "known", fact: viewOf(stored) });
      const decision = askUser(scope, context, questionOf(fact, stored));
      return typeof decision === "string" ? decided(scope, { fact, stored, decision }) : decision;
    },
  });
}

/** Stores a fact that the user hasn't vouched for. Returns the stored fact, or `null` if the user had it forgotten. */
async function storeUnvouched({ memory, userId }: ToolScope, fact: string): Promise<UserFact | null> {
  try {
    return await memory.remember(userId, fact, { trust: "external", provenance: { extractor: EXTRACTOR } });
  } catch (thrown) {
    if (thrown instanceof UserMemoryError && thrown.code === "forgotten") return null;
    throw thrown;
  }
}

const questionOf = (fact: string, stored: UserFact | null): string =>
  `An assistant wants to remember this about you${stored === null ? ", which you had forgotten or rejected before" : ""}:\n\n${lineOf(fact)}\n\nIs it right, and may it be remembered?`;

interface Decided {
  readonly fact: string;
  readonly stored: UserFact | null;
  readonly decision: Decision;
}

async function decided({ memory, userId }: ToolScope, { fact, stored, decision }: Decided) {
  if (decision === "yes") {
    const provenance = { extractor: EXTRACTOR, saidAt: new Date() };
    const confirmed = await memory.remember(userId, fact, { trust: "confirmed", provenance });
    return answered("Remembered: the user confirmed it.", { outcome: "remembered", fact: viewOf(confirmed) });
  }
  if (decision === "no") {
    if (stored?.status === "quarantined") await memory.review.reject(userId, stored.id);
    return answered(DECLINED, { outcome: "declined" });
  }
  if (stored === null) return refused(NOT_BROUGHT_BACK);
  const text = stored.status === "superseded" ? OUTDATED : WAITS;
  return answered(text, { outcome: "waits", fact: viewOf(stored) });
}
