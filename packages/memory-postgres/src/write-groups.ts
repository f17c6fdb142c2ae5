import type { ConversationWrite, WriteOutcome } from "@jaf/memory/adapter";
import { lazy } from "@jaf/memory/adapter";
import * as z from "zod";
import type { SqlClient, Statement } from "./client/port.ts";
import { statementName } from "./client/prepared.ts";
import { isRefusal } from "./errors.ts";
import { qualifiedName, type ResolvedNames } from "./schema/names.ts";
import { packWrite } from "./write-arguments.ts";
import { toWriteOutcome } from "./write-outcome.ts";
import { createWriteQueue, type GroupAnswer, type WriteQueue } from "./write-queue.ts";

/** The call of the function that does several writes; `migrations/0017_plain_append.sql` describes it. */
function createGroupCall(names: ResolvedNames): (packed: readonly string[]) => Statement {
  const text = `SELECT array_to_json(${qualifiedName(names, "_write_group")}($1::text::json))::text AS outcomes`;
  const name = statementName(text);
  return (packed) => ({ name, text, values: [`[${packed.join(",")}]`], writes: true });
}

const outcomesSchema = lazy(() => z.array(z.string().nullable()));

const toOutcome = (outcome: string | null): WriteOutcome | undefined =>
  outcome === null ? undefined : toWriteOutcome({ outcome });

/** Appends that come while others are in progress go together, in one statement. `sendOne` sends one by itself. */
export function createWriteGroups(
  { sql, names }: { readonly sql: SqlClient; readonly names: ResolvedNames },
  sendOne: (write: ConversationWrite) => Promise<WriteOutcome>,
): WriteQueue<ConversationWrite, WriteOutcome> {
  const callGroup = createGroupCall(names);

  async function sendGroup(packed: readonly string[]): Promise<GroupAnswer<WriteOutcome>> {
    try {
      const [row] = await sql.query(callGroup(packed));
      const outcomes = outcomesSchema()
        .length(packed.length)
        .parse(JSON.parse(row?.["outcomes"] ?? ""));
      return outcomes.map(toOutcome);
    } catch (thrown) {
      // After any other failure it is unknown what was done, and each of them fails.
      if (isRefusal(thrown)) return "refused";
      throw thrown;
    }
  }

  return createWriteQueue({
    keyOf: ({ conversationId }) => conversationId,
    pack: packWrite,
    sendOne,
    sendGroup,
  });
}
