import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/adapter";

/** In UTF-16 units: what a user asks stands at the beginning or at the end of what they say. */
const MAX_QUERY = 4_000;

/** What the user said, as a query: the last messages, and of a long text its beginning and its end. `""` without text. */
export function queryOf(said: readonly Message[]): string {
  const texts: string[] = [];
  let room = MAX_QUERY;
  for (const message of said.toReversed()) {
    if (room <= 0) break;
    const text = withoutMiddle(messageText(message).trim(), room);
    if (text === "") continue;
    texts.unshift(text);
    room -= text.length;
  }
  return texts.join("\n");
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const cut = `${text.slice(0, half)} ${text.slice(text.length - half)}`;
  return cut
    .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, " ")
    .replaceAll("\0", " ");
}
