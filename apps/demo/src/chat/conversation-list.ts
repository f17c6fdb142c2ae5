import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import { holdsSecret } from "@jaf/user-memory";
import { understood } from "../assistant/statements.ts";
import { Failure } from "../failure.ts";

/** The user's conversations, newest activity first, without their messages. */
export async function listConversations(
  provider: MemoryProvider,
  userId: string,
  limit?: number,
): Promise<readonly ConversationMemory[]> {
  const found = await provider.findConversations({
    userId,
    includeMessages: false,
    ...(limit === undefined ? {} : { limit }),
  });
  if (!found.success) throw new Failure(found.error.message);
  return found.data;
}

const TITLE_LENGTH = 48;

/** The first words of a conversation, on one line, for its title. */
export function titleOf(text: string): string {
  const start = text.slice(0, 8 * TITLE_LENGTH); // Of a huge message no more is looked at.
  // By code points, and without what a store refuses in metadata: NUL and halves of surrogate pairs.
  const words = [...start.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim()];
  return words.length <= TITLE_LENGTH ? words.join("") : `${words.slice(0, TITLE_LENGTH - 1).join("")}…`;
}

/** The title of a conversation that begins with `text`: its first words, unless it holds a secret. */
export const titleFor = (text: string): string =>
  titleOf(holdsSecret(understood(text)) ? "(a message with a secret)" : text);

export function describeConversation(
  { metadata }: ConversationMemory,
  number: number,
  current: boolean,
): string {
  const title: unknown = metadata?.["title"];
  const when = metadata?.lastActivity.toLocaleString("sv-SE") ?? "";
  const name = typeof title === "string" ? title : "(untitled)";
  return `${current ? "*" : " "}${String(number).padStart(3)}  ${when}  ${String(metadata?.totalMessages ?? 0).padStart(4)} messages  ${name}`;
}
