import { sha256 } from "#digest";
import type { EncodedMessage } from "../backend/backend.ts";
import type { MemoryIssue } from "../errors.ts";
import { pushIssue } from "./checks.ts";
import { idIssue } from "./ids.ts";

/** The messages with the ids that their writer gives them; collects into `issues`. */
export function withMessageIds(
  messages: readonly EncodedMessage[],
  ids: readonly (string | null | undefined)[],
  issues: MemoryIssue[],
): readonly EncodedMessage[] {
  const path = "options.messageIds";
  if (!Array.isArray(ids) || ids.length !== messages.length) {
    issues.push({ path, expected: "an array with an entry for each message" });
    return messages;
  }
  return messages.map((message, index) => {
    const id: unknown = ids[index];
    if (id === undefined || id === null) return message;
    const issue = idIssue(`${path}[${index}]`, id);
    pushIssue(issues, issue);
    // A message that was refused has no body.
    if (issue !== undefined || message.body === "") return message;
    return { ...message, own: { id: id as string, hash: contentHash(message) } };
  });
}

/** Of what the message says: the order in which its fields were named doesn't count. */
const contentHash = ({ body }: EncodedMessage): string =>
  sha256(JSON.stringify(sorted(JSON.parse(body))), "hex");

/** Lists of fields in place of objects, whose number-like fields no object keeps in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: fields.map(([key, field]) => [key, sorted(field)]) };
}
