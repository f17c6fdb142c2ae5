import type { MediaPart, RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/engine";
import { base64Of, type Fields, isMedia, isObject, mediaMention, parseJson } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import type { CallContext } from "./calls.ts";
import { imageUrlPart, mediaPart } from "./media.ts";

export interface ResultContext extends CallContext {
  readonly rules: ModelRules;
}

/** A tool's result, and what must follow the results of its step. */
export interface ResultParts {
  readonly parts: readonly Fields[];
  readonly behind: readonly Fields[];
}

/** Nothing for a result of a call that isn't there: the service would refuse it. */
export function resultParts(message: RichMessage, { calls, rules }: ResultContext): ResultParts {
  const call = calls.get(message.tool_call_id ?? "");
  if (call === undefined) return { parts: [], behind: [] };
  const { inside, outside } = mediaIn(message, rules.mediaInResults);
  const response = responseOf(message, inside.length + outside.length > 0);
  const functionResponse = {
    ...present({ id: call.id }),
    name: call.name,
    response,
    ...(inside.length === 0 ? {} : { parts: inside }),
  };
  const behind = outside.length === 0 ? [] : [{ text: `What ${call.name} returned:` }, ...outside];
  return { parts: [{ functionResponse }], behind };
}

/** An object, as it must be: `error` is what Google calls a failure, `output` all else. */
function responseOf(message: RichMessage, hasMedia: boolean): Fields {
  const text = messageText(message);
  const parsed = parseJson(text);
  if (isObject(parsed) && parsed["status"] !== "success" && isObject(parsed["error"])) return { error: text };
  return { output: text === "" && hasMedia ? "See the attached media." : text };
}

/** What Google documents that a result may hold. */
const INSIDE: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"],
]);

function mediaIn({ content }: RichMessage, mayBeInside: boolean) {
  const inside: Fields[] = [];
  const outside: Fields[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    if (isMedia(part)) {
      const data = mayBeInside && INSIDE.has(part.mediaType) ? part.data : undefined;
      if (data === undefined) outside.push(outsidePart(part));
      else inside.push({ inlineData: { mimeType: part.mediaType, data: base64Of(data) } });
      continue;
    }
    const image = imageUrlPart(part);
    if (image !== undefined) outside.push(image);
  }
  return { inside, outside };
}

const outsidePart = (part: MediaPart): Fields =>
  part.fileId !== undefined && part.data === undefined && part.url === undefined
    ? { text: mediaMention(part) }
    : mediaPart(part);
