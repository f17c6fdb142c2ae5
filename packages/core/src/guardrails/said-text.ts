import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { bytesIn, messageText, textIn } from "@jaf/memory/engine";

/** What a user says in words: the text of a message, and of the text files in it, which models read as they read a text. */
export function saidText(message: Message): string {
  const { content }: RichMessage = message;
  if (!Array.isArray(content)) return messageText(message);
  const files = content.map(textOfFile).filter((text) => text !== undefined);
  return files.length === 0 ? messageText(message) : [messageText(message), ...files].join("\n");
}

const isText = (mediaType: string): boolean => /^(text\/|application\/json\b)/i.test(mediaType);

/** `undefined` for every other part, and for a file that lies elsewhere. */
function textOfFile(part: ContentPart): string | undefined {
  const { type, mediaType, data, url } = part;
  if (type !== "media" || typeof mediaType !== "string" || !isText(mediaType)) return undefined;
  if (data instanceof Uint8Array) return new TextDecoder().decode(data);
  if (typeof data === "string") return textIn(bytesIn(data.replace(/^data:[^,]*,/, "")));
  return typeof url === "string" || url instanceof URL ? textOfDataUrl(String(url)) : undefined;
}

function textOfDataUrl(url: string): string | undefined {
  const [, parameters, text] = /^\s*data:([^,]*),([\s\S]*)$/i.exec(url) ?? [];
  if (parameters === undefined || text === undefined) return undefined;
  if (/;base64$/i.test(parameters)) return textIn(bytesIn(text));
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
